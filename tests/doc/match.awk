# Is the first file, in which a line "..." stands for any lines, the same as the second one? The pieces between such
# lines are looked for one after the other; the first and the last one must lie at the ends.
function same(piece, at, k) {
  for (k = 1; k <= size[piece]; k++) if (line[at + k - 1] != text[piece, k]) return 0
  return 1
}
BEGIN { pieces = 1 }
FNR == 1 { file++ }
file == 1 && $0 == "..." { pieces++; next }
file == 1 { text[pieces, ++size[pieces]] = $0; next }
{ line[++lines] = $0 }
END {
  at = 1
  for (p = 1; p <= pieces; p++) {
    last = lines - size[p] + 1
    if (p == 1) last = at
    else if (p == pieces && size[p] > 0 && last >= at) at = last
    while (at <= last && !same(p, at)) at++
    if (at > last || (p == 1 && pieces == 1 && lines > size[p])) {
      print "# These lines of the page are not there:"
      for (k = 1; k <= size[p]; k++) print "# | " text[p, k]
      print "# This was printed:"
      for (k = 1; k <= lines && k <= 80; k++) print "# | " line[k]
      exit 1
    }
    at += size[p]
  }
}
