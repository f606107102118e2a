/**
 * The variables that a program of another maker gets (LibreOffice, ffmpeg, PocketSphinx): where it finds itself, its folders, its language and
 * its libraries. Everything else, above all addresses and credentials of services, is none of its concern.
 */
const NEEDED =
  /^(?:PATH|PATHEXT|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|TEMP|TMP|LD_LIBRARY_PATH|DYLD_\w+|FONTCONFIG_\w+|XDG_\w+|SYSTEMROOT|SYSTEMDRIVE|WINDIR|COMSPEC|USERPROFILE|APPDATA|LOCALAPPDATA|PROGRAMDATA|PROGRAMFILES(?:\(X86\))?|NUMBER_OF_PROCESSORS|MALLOC_\w+|OMP_NUM_THREADS)$/i

/** The part of an environment that such a program needs. */
export const programEnvironment = (env: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined && NEEDED.test(pair[0])),
  )
