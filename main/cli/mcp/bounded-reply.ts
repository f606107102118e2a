import { valueWithoutSecrets } from '../../../core/known-secrets.ts'

/** Most characters of one reply: about 15,000 tokens of an assistant's context. */
export const MAX_REPLY_CHARS = 60_000

/** Most characters of one text in a reply, from the first size under which the whole reply fits. */
const TEXT_SIZES = [4000, 1000, 250]

/**
 * A value as the text of a reply: without the credentials that this process knows, and within the bound, for which long texts are cut with the number of characters that are left
 * out. Throws where even short texts do not fit.
 */
export function boundedReply(value: unknown): string {
  const clean = valueWithoutSecrets(value)
  for (const size of TEXT_SIZES) {
    const text = JSON.stringify(clean, (_, member: unknown) =>
      typeof member === 'string' ? cut(member, size) : member,
    )
    if (text.length <= MAX_REPLY_CHARS) return text
  }
  throw new RangeError(`the reply is longer than ${MAX_REPLY_CHARS} characters: ask for less, with limit or a filter`)
}

function cut(text: string, size: number): string {
  if (text.length <= size) return text.toWellFormed()
  return `${text.slice(0, size).toWellFormed()}… (${text.length - size} more characters)`
}
