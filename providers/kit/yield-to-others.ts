import { constants, getPriority, setPriority } from 'node:os'

/** Lowers the priority of this process. Its threads and children of later inherit it; where a system does not permit the change, it competes as before. */
export function yieldToOthers(): void {
  const { PRIORITY_BELOW_NORMAL: below } = constants.priority
  try {
    if (getPriority() < below) setPriority(below)
  } catch {
    // Nothing depends on it.
  }
}
