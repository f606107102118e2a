/** A limit of the system that a call hit. */
export interface SystemLimit {
  reason: string
  remedy: string
}

const FULL: SystemLimit = { reason: 'the disk is full', remedy: 'free space on it, then run this again' }
const TOO_FEW_HANDLES: SystemLimit = {
  reason: 'too few files may be open at once on this system or in this session',
  remedy: 'raise the limit (ulimit -n 1024), then start again',
}
const LIMITS: Readonly<Record<string, SystemLimit>> = {
  ENOSPC: FULL,
  EDQUOT: FULL,
  SQLITE_FULL: FULL,
  EMFILE: TOO_FEW_HANDLES,
  ENFILE: TOO_FEW_HANDLES,
}

/** The limit behind a failure; null for a failure of another kind. */
export function limitBehind(error: unknown): SystemLimit | null {
  const { code } = (error ?? {}) as { code?: unknown }
  return typeof code === 'string' && Object.hasOwn(LIMITS, code) ? LIMITS[code]! : null
}

/** True for a failure that the system reported. */
export const isOfSystem = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'syscall' in error
