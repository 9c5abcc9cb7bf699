# Prints the relative links of Markdown pages: PAGE LINE TARGET. Code is no link.
FNR == 1 { code = 0 }
/^```/ { code = !code }
code || /^```/ { next }
{
  gsub(/`[^`]*`/, "")
  while (match($0, /\]\([^) ]+\)|src="[^"]+"/)) {
    target = substr($0, RSTART, RLENGTH)
    $0 = substr($0, RSTART + RLENGTH)
    gsub(/^\]\(|\)$|^src="|"$/, "", target)
    if (target !~ /^[a-z]+:/) print FILENAME, FNR, target
  }
}
