/** Characters that this or another system does not take in a name, and hidden names. */
const UNFIT = /[\\:*?"<>|]|\p{Cc}|^[. ]|[. ]$/u
/** Devices of Windows, whatever follows the first dot. */
const RESERVED = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:\.|$)/i
const LONGEST_NAME = 200

/** Why a relative path with forward slashes cannot be that of a file on every system; null when it can. */
export function portablePathProblem(path: string): string | null {
  if (path === '' || path.split('/').some((part) => part === '' || part === '.' || part === '..'))
    return 'expected a relative path with forward slashes and without ".."'
  const unfit = path
    .split('/')
    .find((part) => UNFIT.test(part) || RESERVED.test(part) || Buffer.byteLength(part) > LONGEST_NAME)
  if (unfit === undefined) return null
  return RESERVED.test(unfit)
    ? `${JSON.stringify(unfit)} is reserved on Windows: choose another name`
    : `${JSON.stringify(unfit)} cannot be the name of a file on every system: leave out \\ : * ? " < > |, control characters, a dot or blank at its ends, and more than ${LONGEST_NAME} bytes`
}
