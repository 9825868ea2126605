#!/bin/sh
# Sends files to Sluice from outside the cloud, with nothing but curl and a key. docs/on-premises.md explains it.
# Runs on any POSIX shell; gzip, and one of sha256sum, shasum and openssl, are used where they are installed.
set -u
LC_ALL=C
export LC_ALL

usage() {
  cat <<'END'
Usage: publish.sh [options] WORKLOAD FILE...
       publish.sh [options] --folder DIR WORKLOAD
Sends each file as one batch, prints the id of each batch, and writes everything else to standard error.

  --folder DIR           send every file of DIR; accepted files move to DIR/sent, refused ones to DIR/rejected
  --url URL              address of the app; default SLUICE_URL
  --key-file FILE        file with the key in its first line; default SLUICE_KEY_FILE, or the key itself in SLUICE_KEY
  --lane LANE            priority class; default as the workload decides
  --label KEY=VALUE      kept with the batch; may be repeated
  --csv QUERY            how CSV is written, as the query of an upload: 'delimiter=semicolon&decimal=comma'
  --idempotency-key KEY  of your own, for one file; default made from the content
  --wait                 wait until the batches have ended, and save their reports
  --reports DIR          where reports are saved; default DIR/reports with --folder, else the current folder
  --timeout SECONDS      longest wait of --wait per batch; default 3600
  --tries N              most attempts of one request; default 8

Exit codes; of several files, the first of 1, 2, 3, 4, 7, 9, 8, 6, 5 that one of them has:
  0 done                      1 no answer, or the app is busy: run it again   2 the command line is wrong
  3 no such workload or app   4 refused, or too large for a request
  with --wait: 5 dead letters  6 cancelled  7 not ended within --timeout  8 the report failed  9 suspect
END
}

# The largest body in bytes, as the app's setting of this name has it. The platform lets no more than 210 MB through.
max_bytes=${SLUICE_MAX_BODY_BYTES:-209715200}
# A server that asks for a longer wait, in seconds, is left to the next run.
MAX_WAIT=600
# Longest own wait between two attempts, in seconds.
MAX_BACKOFF=60
NAME_RULE='the name must end in .ndjson, .jsonl, .json, .csv, .tsv or .tab, with .gz, .br or .zst behind it if compressed'

say() { printf 'publish: %s\n' "$*" >&2; }
die() {
  code=$1
  shift
  say "$@"
  exit "$code"
}
has() { command -v "$1" >/dev/null 2>&1; }

result=0
note() {
  for each in 1 2 3 4 7 9 8 6 5; do
    if [ "$each" = "$result" ] || [ "$each" = "$1" ]; then
      result=$each
      return
    fi
  done
}

# Percent-encodes every byte, which is valid for all of them.
encode() { printf %s "$1" | od -An -v -tx1 | tr -d ' \n' | sed 's/../%&/g'; }

# Sets type (media type) and encoding by the name; fails for a name that does not say them.
read_kind() {
  name=$(printf %s "${1##*/}" | tr '[:upper:]' '[:lower:]')
  case $name in
  *.gz) encoding=gzip ;;
  *.br) encoding=br ;;
  *.zst) encoding=zstd ;;
  *) encoding= ;;
  esac
  [ -z "$encoding" ] || name=${name%.*}
  case $name in
  *.ndjson | *.jsonl) type=application/x-ndjson ;;
  *.json) type=application/json ;;
  *.csv) type=text/csv ;;
  *.tsv | *.tab) type=text/tab-separated-values ;;
  *) return 1 ;;
  esac
}

# Writes the body that is sent. Every attempt and the key see the same bytes, whatever becomes of the file meanwhile.
# Returns 1 when the file cannot be read, 2 when it is too large; then it is not read to its end.
snapshot() {
  original=
  if [ -z "$encoding" ] && has gzip; then
    encoding=gzip original=1
    rm -f "$work/failed"
    { gzip -nc <"$1" || : >"$work/failed"; } 2>/dev/null | head -c $((max_bytes + 1)) >"$work/body" || return 1
    # The end of `head` ends gzip, too, which is no failure of it.
    [ "$(wc -c <"$work/body")" -le "$max_bytes" ] || return 2
    [ ! -e "$work/failed" ]
  else
    [ "$(wc -c <"$1")" -le "$max_bytes" ] || return 2
    cat <"$1" >"$work/body"
  fi
}

# Prints the hash of standard input. A checksum of 32 bits does where nothing else is installed: of two files with the same
# one, the app refuses the second, because it compares the contents.
hash_of() {
  if has sha256sum; then
    sha256sum | sed 's/^/sha256-/; s/ .*//'
  elif has shasum; then
    shasum -a 256 | sed 's/^/sha256-/; s/ .*//'
  elif has openssl; then
    openssl dgst -sha256 -r | sed 's/^/sha256-/; s/ .*//'
  else
    cksum | sed 's/^/cksum-/; s/ /-/'
  fi
}

# The same key as that of `sluice submit` for a file without CSV options.
content_key() {
  {
    if [ -n "$original" ]; then gzip -dc <"$work/body"; else cat <"$work/body"; fi
    [ -z "$csv" ] || printf '\000%s' "$csv"
  } | hash_of
}

# Seconds that the latest answer asks to wait for; a date counts as nothing.
retry_after() {
  tr -d '\r' <"$work/headers" 2>/dev/null | sed -n 's/^[Rr][Ee][Tt][Rr][Yy]-[Aa][Ff][Tt][Ee][Rr]: *\([0-9]\{1,9\}\)$/\1/p' | tail -n 1
}
location() {
  tr -d '\r' <"$work/headers" | sed -n 's/^[Ll][Oo][Cc][Aa][Tt][Ii][Oo][Nn]: *//p' | tail -n 1
}

# A text field of the problem document; nothing when the answer is none.
field() {
  head -c 1000000 "$work/answer" 2>/dev/null | sed -nE 's/.*"'"$1"'":"(([^"\\]|\\.)*)".*/\1/p' | head -n 1 | unescape
}
unescape() { sed 's/\\n/ /g; s,\\\(["\\/]\),\1,g'; }
problem() { field type | sed -n 's/.*\/problems\///p'; }

# Makes a request, and again while that may help. Sets status; 000 when there was no answer.
request() {
  attempt=1 backoff=1
  while :; do
    : >"$work/headers"
    : >"$work/answer"
    # No limit of the whole time, since lines differ; a connection over which nothing goes for four minutes is given up,
    # which is longer than the platform takes to answer.
    status=$(curl -sS -g -K "$work/key" -A sluice-publish.sh --connect-timeout 30 --speed-limit 1 --speed-time 240 \
      -D "$work/headers" -o "$work/answer" -w '%{http_code}' "$@" 2>"$work/error")
    failure=$?
    # The app may refuse before it has read everything, which breaks the upload.
    case $status in
    4?? | 5??) failure=0 ;;
    esac
    case $failure in
    0) why="the app answered $status" ;;
    *) status=000 why=$(head -n 1 "$work/error") ;;
    esac
    case $failure:$status in
    1:* | 2:* | 3:* | 60:* | 77:*) return ;; # a wrong address, or a certificate that is not trusted
    *:000 | *:408 | *:429 | *:5??) ;;
    *:409) [ "$(problem)" = upload-in-progress ] || return ;;
    *) return ;;
    esac
    pause=$((backoff / 2 + ($(date +%s) + $$) % (backoff / 2 + 1)))
    asked=$(retry_after)
    [ "${asked:-0}" -le "$pause" ] || pause=$asked
    if [ "$attempt" -ge "$tries" ] || [ "$pause" -gt "$MAX_WAIT" ]; then return; fi
    say "$why; attempt $attempt of $tries, the next in $pause s"
    sleep "$pause"
    attempt=$((attempt + 1)) backoff=$((backoff * 2))
    [ "$backoff" -le "$MAX_BACKOFF" ] || backoff=$MAX_BACKOFF
  done
}

# Says why the app did not accept something.
show_refusal() {
  kind=$(problem)
  case $status:$kind in
  000:*) say "$1: $why" ;;
  401: | 403:) say "$1: the app answered $status: the key does not open this route, or is no key of this app" ;;
  413:) say "$1: the platform answered 413: the body is larger than it lets through" ;;
  *:) say "$1: the app answered $status, without saying why; is $url the address of the app?" ;;
  *) say "$1: refused ($status $kind): $(field detail)" ;;
  esac
  grep -oE '"line":[0-9]+(,"column":[0-9]+)?,"message":"([^"\\]|\\.)*"' "$work/answer" | head -n 10 |
    sed -E 's/"line":([0-9]+)/  line \1/; s/,"column":([0-9]+)/, column \1/; s/,"message":"(.*)"$/: \1/' | unescape >&2
}

# Whether the app has judged the file, and not the key, the address or an option: only then is it put aside.
is_about_file() {
  case $status:$(problem) in
  413: | 400:malformed-* | 400:empty-batch | 413:too-large | 415:* | 422:*) return 0 ;;
  *) return 1 ;;
  esac
}

# Sends a file. Sets batch and key. Returns 0: accepted, 1: not now, 2: the file is refused, 3: no file would be accepted.
send() {
  batch='' key=$own_key
  stamp=$(ls -lin "$1" 2>/dev/null)
  read_kind "$1"
  snapshot "$1"
  case $? in
  0) ;;
  2)
    say "$1: larger than $max_bytes bytes as it would be sent: put it into the inbox, with azcopy (docs/on-premises.md)"
    note 4
    : >"$work/answer"
    # It has no hash, and must not overwrite another one of its name.
    key=$(date +%m%d%H%M%S)
    return 2
    ;;
  *)
    say "$1: cannot be read, or there is no space in $work"
    note 1
    return 1
    ;;
  esac
  [ -n "$key" ] || key=$(content_key)
  set -- "$1" "$url/api/workloads/$workload/batches?$query" -X POST -T "$work/body" \
    -H "content-type: $type" -H "idempotency-key: $key" -H "sluice-file-name: $(encode "${1##*/}")"
  [ -z "$encoding" ] || set -- "$@" -H "content-encoding: $encoding"
  [ -z "$labels" ] || set -- "$@" -H "sluice-labels: $labels"
  file=$1
  shift
  request "$@"
  # A proxy may answer 200 with a page of its own.
  if [ "$status" = 202 ]; then batch=$(location | sed -n 's/.*\/api\/batches\/\([0-9a-f-]\{1,\}\)$/\1/p'); fi
  if [ -n "$batch" ]; then return 0; fi
  show_refusal "$file"
  if is_about_file; then
    note 4
    return 2
  fi
  case $status in
  000 | 408 | 409 | 429 | 5??)
    note 1
    return 1
    ;;
  404) note 3 ;;
  *) note 4 ;;
  esac
  return 3
}

# Moves a file that was sent, unless another one has taken its place since then.
put_aside() {
  if [ "$(ls -lin "$1" 2>/dev/null)" != "$stamp" ]; then
    say "$1: changed, or was moved, while it was sent; what is there now is left to the next run"
    return 1
  fi
  if mkdir -p "${2%/*}" && mv -f "$1" "$2"; then return; fi
  note 1
  return 1
}

# Waits for the end of a batch, and saves its report.
await() {
  started=$(date +%s)
  while :; do
    request "$url/api/batches/$1"
    state=$(grep -oE '"state":"[A-Za-z]+"' "$work/answer" | head -n 1 | sed 's/.*:"//; s/"//')
    if [ "$status" != 200 ] || [ -z "$state" ]; then
      show_refusal "batch $1"
      note 1
      return
    fi
    case $state in
    completed) break ;;
    completedWithDeadLetters) note 5 && break ;;
    cancelled) note 6 && break ;;
    reportFailed) note 8 && break ;;
    suspect) note 9 && break ;;
    esac
    waited=$(($(date +%s) - started))
    if [ "$waited" -ge "$timeout" ]; then
      say "batch $1: $state after $waited s; it continues"
      note 7
      return
    fi
    # Each look reads storage: at first one per second, ever fewer then.
    pause=$((waited / 20 + 1))
    [ "$pause" -le 30 ] || pause=30
    asked=$(retry_after)
    [ "${asked:-0}" -le "$pause" ] || pause=$asked
    sleep "$pause"
  done
  request "$url/api/batches/$1/report"
  case $status in
  200)
    target=$reports/$1.report.ndjson
    if mkdir -p "$reports" && cp "$work/answer" "$target.part" && mv -f "$target.part" "$target"; then
      say "batch $1: $state, report in $target"
    else
      say "batch $1: $state, but $target cannot be written"
      note 1
    fi
    ;;
  404) say "batch $1: $state, without a report" ;;
  *)
    show_refusal "the report of batch $1"
    note 1
    ;;
  esac
}

url=${SLUICE_URL-} key_file=${SLUICE_KEY_FILE-} folder='' reports='' labels='' lane='' csv='' own_key=''
wait='' timeout=3600 tries=8
while [ $# -gt 0 ]; do
  case $1 in
  -h | --help)
    usage
    exit 0
    ;;
  --wait)
    wait=1
    shift
    continue
    ;;
  --)
    shift
    break
    ;;
  --key) die 2 'a key on the command line is seen by every user of the machine: use SLUICE_KEY or --key-file' ;;
  --*) ;;
  *) break ;;
  esac
  [ $# -ge 2 ] || die 2 "$1: expected a value"
  case $1 in
  --folder) folder=${2%/} ;;
  --url) url=$2 ;;
  --key-file) key_file=$2 ;;
  --lane) lane=$2 ;;
  --label)
    case $2 in
    ?*=?*) labels="${labels:+$labels,}${2%%=*}=$(encode "${2#*=}")" ;;
    *) die 2 "--label: expected key=value, got $2" ;;
    esac
    ;;
  --csv) csv=$2 ;;
  --idempotency-key) own_key=$2 ;;
  --reports) reports=${2%/} ;;
  --timeout) timeout=$2 ;;
  --tries) tries=$2 ;;
  *) die 2 "unknown option $1; --help lists all" ;;
  esac
  shift 2
done
[ $# -ge 1 ] || { usage >&2 && exit 2; }
workload=$1
shift
if [ -n "$folder" ]; then
  [ $# -eq 0 ] || die 2 'expected files or --folder, got both'
  [ -d "$folder" ] || die 2 "--folder: $folder is no folder"
  case $folder in -*) folder=./$folder ;; esac
else
  [ $# -ge 1 ] || die 2 'expected a FILE, or --folder'
fi
for path in "$@"; do
  if [ ! -f "$path" ] || [ ! -r "$path" ]; then die 2 "$path: no file that can be read"; fi
  read_kind "$path" || die 2 "$path: $NAME_RULE"
done
[ -z "$own_key" ] || [ $# -eq 1 ] || die 2 '--idempotency-key: for one file'
for number in "$timeout" "$tries" "$max_bytes"; do
  case $number in '' | *[!0-9]* | 0 | ??????????*) die 2 "expected a whole number, got $number" ;; esac
done
case $workload$lane in *[!a-z0-9-]*) die 2 "no workload or lane has such a name: $workload $lane" ;; esac
query=${lane:+lane=$lane}
query=$query${csv:+${query:+&}$csv}
reports=${reports:-${folder:+$folder/reports}}
reports=${reports:-.}
has curl || die 2 'curl is not installed'

url=${url%/} url=${url%/api}
case $url in
https://*) ;;
http://127.0.0.1 | http://127.0.0.1[:/]* | http://localhost | http://localhost[:/]*) ;;
'') die 2 '--url or SLUICE_URL: expected the address of the app' ;;
*) die 2 "the key is sent by https only, got $url" ;;
esac

if [ -n "$key_file" ]; then
  { IFS= read -r SLUICE_KEY || [ -n "${SLUICE_KEY-}" ]; } <"$key_file" || die 2 "--key-file: cannot read a key from $key_file"
fi
# No argument of a process holds the key: every user of the machine sees those.
app_key=$(
  tr -d '\r' <<END
${SLUICE_KEY-}
END
)
unset SLUICE_KEY
case $app_key in
'') die 2 'expected a key in SLUICE_KEY, or in the file that --key-file names' ;;
*[!A-Za-z0-9_=+/.~-]*) die 2 'the key has characters that no key has' ;;
esac

work=$(mktemp -d "${TMPDIR:-/tmp}/sluice-publish.XXXXXX") || die 1 'cannot make a temporary folder'
trap 'rm -rf "$work"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
# In a folder that only this user can read.
cat >"$work/key" <<END
header = "x-functions-key: $app_key"
END

batches=''
# Sends a file and puts it aside if it is one of the folder. Fails when there is no sense in sending further ones.
publish() {
  send "$1"
  came=$?
  case $came in
  0)
    printf '%s\n' "$batch"
    batches="$batches $batch"
    [ -z "$folder" ] || put_aside "$1" "$folder/sent/$batch-${1##*/}" || :
    ;;
  2)
    if [ -n "$folder" ]; then
      # Part of the hash, so that no other file of that name is overwritten.
      part=$(printf %s "${key#*-}" | head -c 12)
      if put_aside "$1" "$folder/rejected/$part-${1##*/}" && [ -s "$work/answer" ]; then
        cp "$work/answer" "$folder/rejected/$part-${1##*/}.reason.json"
      fi
    fi
    ;;
  *) return 1 ;;
  esac
}

if [ -n "$folder" ]; then
  for path in "$folder"/*; do
    [ -f "$path" ] || continue
    if ! read_kind "$path"; then
      say "$path: left where it is: $NAME_RULE"
      continue
    fi
    publish "$path" || break
  done
else
  for path in "$@"; do publish "$path" || break; done
fi
if [ -n "$wait" ]; then
  for id in $batches; do await "$id"; done
fi
exit "$result"
