import { isUsedUp } from '../used-up-credit.ts'

/** Number of equal refusals in a row after which calls end, because the next ones would be refused alike. */
export const REFUSALS_BEFORE_STOP = 3

/** Returns what a service refuses by its status and words; null where it refuses neither. */
export function refusedBy(status: number, text: string): 'key' | 'account' | null {
  if (status === 401 || status === 403) return 'key'
  return status === 402 || (status === 429 && isUsedUp(text)) ? 'account' : null
}

/** True where a service, or the model behind it, refuses the key or the account: the next call would end alike. */
export const isAccessRefused = (status: number, text: string): boolean =>
  refusedBy(status, text) !== null || /"code"\s*:\s*"(?:model_access_refused|unauthorized)"/.test(text)

/** Matches what equal refusals share: the status, and the role and status of the model that refuses. */
const SHARED = /^HTTP \d+(?:: (?:RAG evaluation failed: )?the model call for role \w+ failed: .*?\(HTTP \d+\))?/

/** The part of the words of a refusal that equal ones share. */
export const refusalOf = (message: string): string => SHARED.exec(message)?.[0] ?? message

/** Counts the equal refusals in a row of one service. */
export class RefusalsInARow {
  #what: string | null = null
  #count = 0
  /** Words of the refusal after which the service is not called any more; null until then. */
  stopped: string | null = null

  /** Takes in the words of a refusal, or null for any other outcome of a call. */
  add(message: string | null): void {
    const what = message === null ? null : refusalOf(message)
    this.#count = what !== null && what === this.#what ? this.#count + 1 : Number(what !== null)
    this.#what = what
    if (this.#count >= REFUSALS_BEFORE_STOP) this.stopped ??= message
  }
}
