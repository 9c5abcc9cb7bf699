# Takes a page apart. Every fenced block becomes a file NUMBER.KIND in the folder `out`; a line of the index on
# standard output says NUMBER KIND LINE NEXT MARK, where NEXT is 1 if only blank lines lie between the block
# before and this one, and MARK is what a comment <!-- MARK --> above the block says. Code that is only
# indented has no kind and is listed as "indented".
function put(kind) {
  print ++count, kind, NR, near, mark
  mark = ""
}
/^```/ && inside { inside = 0; near = 1; close(file); next }
inside { print > file; next }
/^```/ {
  kind = substr($0, 4)
  if (kind == "") kind = "plain"
  put(kind)
  file = sprintf("%s/%d.%s", out, count, kind)
  printf "" > file
  inside = 1
  next
}
/^<!-- .* -->$/ { mark = substr($0, 6, length($0) - 9); next }
/^ *$/ { blank = 1; next }
/^    [^ ]/ && blank && !list { put("indented") }
/^( *[-*]|[0-9]+\.) / { list = 1 }
/^[^ -]/ { list = 0 }
{ near = 0; mark = ""; blank = 0 }
