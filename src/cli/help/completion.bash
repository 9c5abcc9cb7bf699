
# _heatsolve_reply KIND TEXT PREFIX: what TEXT may become, each with PREFIX before it.
_heatsolve_reply() {
  local kind=$1 text=$2 prefix=$3
  case $kind in
    words*) mapfile -t COMPREPLY < <(compgen -P "$prefix" -W "${kind#words}" -- "$text") ;;
    list*)
      if [[ $text == *,* ]]; then prefix+=${text%,*},; fi
      mapfile -t COMPREPLY < <(compgen -P "$prefix" -W "${kind#list}" -- "${text##*,}")
      ;;
    key)
      if [[ $text == *=* ]]; then
        _heatsolve_reply "words $(_heatsolve_values "${text%%=*}")" "${text#*=}" "$prefix${text%%=*}="
      else
        mapfile -t COMPREPLY < <(compgen -P "$prefix" -S = -W "$_heatsolve_keys" -- "$text")
        compopt -o nospace 2>/dev/null
      fi
      ;;
    ini | h5)
      mapfile -t COMPREPLY < <(
        compgen -P "$prefix" -f -X "!*.$kind" -- "$text"
        compgen -P "$prefix" -d -- "$text"
      )
      compopt -o filenames 2>/dev/null
      ;;
    file | folder)
      mapfile -t COMPREPLY < <(compgen -P "$prefix" -A "${kind/folder/directory}" -- "$text")
      compopt -o filenames 2>/dev/null
      ;;
  esac
}

# _heatsolve_takes_value OPTION: does it, with some command?
_heatsolve_takes_value() {
  local command
  for command in $_heatsolve_commands; do
    if [[ -n $(_heatsolve_argument "$command" "$1") ]]; then return 0; fi
  done
  return 1
}

_heatsolve() {
  local word text cut k command='' option='' files=''
  local -a words=()
  COMPREPLY=()
  # bash cuts --set=grid.nx=5 at the equals signs; here it is one word.
  for ((k = 1; k <= COMP_CWORD; k++)); do
    word=${COMP_WORDS[k]}
    if ((${#words[@]})) && [[ $word == '=' || ${words[-1]} == *= ]]; then words[-1]+=$word; else words+=("$word"); fi
  done
  text=${words[-1]}
  unset 'words[-1]'
  for word in ${words[@]+"${words[@]}"}; do
    if [[ -n $option ]]; then
      option=
    elif [[ $word == -- ]]; then
      files=1
    elif [[ -z $files && $word == -?* ]]; then
      if [[ $word != *=* ]] && _heatsolve_takes_value "$word"; then option=$word; fi
    elif [[ -z $command ]]; then
      command=run
      if [[ -z $files && " $_heatsolve_commands " == *" $word "* ]]; then command=$word; fi
    fi
  done
  if [[ -n $option ]]; then
    _heatsolve_reply "$(_heatsolve_argument "${command:-run}" "$option")" "$text" ''
  elif [[ -z $files && $text == --*=* ]]; then
    _heatsolve_reply "$(_heatsolve_argument "${command:-run}" "${text%%=*}")" "${text#*=}" "${text%%=*}="
  elif [[ -z $files && $text == -* ]]; then
    _heatsolve_reply "words $(_heatsolve_options "${command:-run}")" "$text" ''
  else
    _heatsolve_reply "$(_heatsolve_operand "${command:-run}")" "$text" ''
    if [[ -z $command$files ]]; then
      mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W "$_heatsolve_commands" -- "$text")
    fi
  fi
  # Where bash cuts at equals signs, it replaces what stands behind the last one alone.
  if [[ $COMP_WORDBREAKS == *=* && $text == *=* ]]; then
    cut=${text%"${text##*=}"}
    for k in ${!COMPREPLY[@]}; do COMPREPLY[k]=${COMPREPLY[k]#"$cut"}; done
  fi
}

complete -F _heatsolve heatsolve
