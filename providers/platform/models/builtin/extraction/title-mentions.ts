import { isEnglishWord } from '../language/lexicon.ts'
import { isStopWord } from '../language/stop-words.ts'
import { normalizeWord } from '../language/tokens.ts'
import { cleanedMentions } from './mentions.ts'
import type { MentionedSentence } from './mentions.ts'

const LONGEST_TITLE_NAME = 3

/** Every word with content has a capital: then capitals tell nothing. */
function isTitleCase(title: string): boolean {
  const words = (title.match(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu) ?? []).filter((word) => !isStopWord(normalizeWord(word)))
  return words.length > 1 && words.every((word) => /^[\p{Lu}\p{N}]/u.test(word))
}

const isBareName = (title: string): boolean => {
  const words = title.trim().split(/\s+/)
  if (words.length === 1 && isEnglishWord(normalizeWord(title)) && title !== title.toUpperCase()) return false
  return (
    words.length <= LONGEST_TITLE_NAME &&
    words.every((word) => /^\p{Lu}/u.test(word) && !isStopWord(normalizeWord(word)))
  )
}

/**
 * The names of a document's title: all of them when the title is written like a sentence; when every word has a
 * capital, only those that the text mentions, or the title itself when it is as short as a name.
 */
export function titleMentions(title: string, body: readonly MentionedSentence[]): MentionedSentence {
  const sentence = { text: title, kind: 'heading', start: 0, end: title.length, block: 0, whole: true } as const
  const inBody = new Set(body.flatMap(({ mentions }) => mentions.map((mention) => mention.name)))
  if (isBareName(title)) {
    return {
      sentence,
      mentions: [{ name: title.trim(), start: 0, end: title.length, addressed: false, titled: false }],
    }
  }
  const certain = !isTitleCase(title)
  return { sentence, mentions: cleanedMentions(title).filter((mention) => certain || inBody.has(mention.name)) }
}
