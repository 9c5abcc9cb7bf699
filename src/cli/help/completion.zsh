
# A key of a configuration, or behind its equals sign a value.
_heatsolve_key() {
  local key
  if [[ $PREFIX == *=* ]]; then
    key=${PREFIX%%=*}
    compset -P 1 '*='
    compadd -- $(_heatsolve_values $key)
  else
    compadd -S = -- ${=_heatsolve_keys}
  fi
}

_heatsolve_command() {
  _describe command _heatsolve_commands
}

# The first word: a command, or a configuration to run.
_heatsolve_first() {
  _alternative 'commands:command:_heatsolve_command' 'files:configuration:_files -g "*.ini(-.)"'
}

_heatsolve() {
  local word command operand
  local -a specs
  for word in ${words[2,CURRENT-1]}; do
    if (( ${_heatsolve_commands[(I)$word:*]} )); then
      command=$word
      break
    fi
  done
  _heatsolve_specify ${command:-run}
  if [[ -n $command ]]; then
    _arguments -s -S $specs "1:command:($command)" ${operand:+"*:file:$operand"}
  else
    _arguments -s -S $specs '1: :_heatsolve_first' '*:file:_files -g "*.ini(-.)"'
  fi
}

_heatsolve "$@"
