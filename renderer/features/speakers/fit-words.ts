import type { Speaker, SpeakerFit, Speakers } from '../../../contract/http/speakers.ts'
import { plural } from '../../components/format.ts'
import { nextUnread } from './next-sentence.ts'

type Known = Pick<Speakers, 'sentences' | 'unavailable'>

/** What the fitting of the recogniser to a speaker came to, for people; null before the first. */
export function fitWords({ fit, read }: Pick<Speaker, 'fit' | 'read'>, known: Known): string | null {
  if (fit === null) return null
  const { errors_before: before, errors_after: after, checked_words: words, checked_sentences: checked } = fit
  const measured =
    `Recognised ${before} of ${plural(words, 'word')} wrong before, ${after} after, ` +
    `in ${plural(checked, 'sentence')} kept out for that.${mismatchWords(fit)}`
  if (!fit.used) return `${measured} ${unusedWords(fit, read, known)}`
  const since = read.length - fit.sentences
  return since > 0
    ? `${measured} Used; ${plural(since, 'sentence')} read since, not fitted to yet.`
    : `${measured} Used.`
}

/** How many recordings could not be fitted to; nothing where all could. */
function mismatchWords(fit: SpeakerFit): string {
  // Only what recognises better is fitted once more, to the sentences kept out as well.
  const isBetter = fit.errors_after < fit.errors_before
  const tried = isBetter ? fit.sentences : fit.sentences - fit.checked_sentences
  const mismatched = tried - fit.matched_sentences
  return mismatched > 0 ? ` ${mismatched} of ${plural(tried, 'recording')} did not match the sentence.` : ''
}

/** Why a fit is not used, and what to do. */
function unusedWords(fit: SpeakerFit, read: readonly string[], { sentences, unavailable }: Known): string {
  // A fit belongs to the recogniser that it was made with, however good it was.
  if (fit.errors_after < fit.errors_before)
    return unavailable === null
      ? 'Not used: the recogniser’s own model has changed since; fit it again.'
      : 'Not used: another recogniser runs now than the one that was fitted.'
  if (fit.errors_before === 0) return 'Not used: it recognised every word before.'
  return nextUnread(sentences, read, 0) === null
    ? 'No better: not used; read some again, slower and nearer to the microphone.'
    : 'No better: not used; read more sentences.'
}

/** How many words of a sentence were recognised, for people. Extra words count as wrong: there can be more wrong words than were read. */
export function outcomeWords(words: number, errors: number): string {
  if (errors === 0) return `all ${plural(words, 'word')} right`
  return errors <= words ? `${errors} of ${plural(words, 'word')} wrong` : `${errors} wrong words for ${words} to read`
}
