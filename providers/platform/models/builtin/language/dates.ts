const MONTH =
  'January|February|March|April|May|June|July|August|September|October|November|December|Jan\\.?|Feb\\.?|Aug\\.?|Sept?\\.?|Oct\\.?|Nov\\.?|Dec\\.?'

const PATTERNS = [
  `\\d{1,2}(?:st|nd|rd|th)?\\s+(?:of\\s+)?(?:${MONTH})(?:,?\\s+\\d{4})?`,
  `(?:${MONTH})\\s+\\d{1,2}(?:st|nd|rd|th)?(?:,?\\s+\\d{4})?`,
  `(?:${MONTH})\\s+(?:of\\s+)?\\d{4}`,
  '\\d{4}-\\d{2}-\\d{2}',
  '(?:the\\s+)?\\d{4}s',
  '(?:the\\s+)?(?:\\d{1,2}(?:st|nd|rd|th)|(?:eighteen|nineteen|seventeen|sixteen|fifteen|fourteen|twent)[a-z]*th)[\\s-]centur(?:y|ies)',
  '(?:in|since|from|by|until|before|after|during|about|around|of|to|and|year|early|late|mid)[\\s-]+(?:1\\d{3}|20\\d{2})(?![\\d,.]*\\d)',
  '(?:1[0-9]\\d{2}|20\\d{2})(?=[,.;:)\\s]|$)(?!\\s+(?:tonnes|tons|metres|meters|miles|km|kilometres|people|men|members|feet|euros|pounds|dollars))',
  `(?:(?:spring|summer|autumn|fall|winter)(?:\\s+of)?\\s+\\d{4})`,
  `\\b(?:${MONTH.replace('|May', '').replace('|March', '')})\\b`,
]

const DATE = new RegExp(`(?<![\\p{L}\\p{N}-])(?:${PATTERNS.join('|')})(?![\\p{L}\\p{N}])`, 'giu')

/** A date, year, decade or century with its offsets. */
export type DateMention = { text: string; start: number; end: number }

/** The dates that a text mentions, in order. */
export function datesOf(text: string): DateMention[] {
  return [...text.matchAll(DATE)].map((match) => ({
    text: match[0],
    start: match.index,
    end: match.index + match[0].length,
  }))
}

/** True for words that may be part of a date and are capitalized for that alone. */
export function isCalendarWord(word: string): boolean {
  return /^(?:january|february|march|april|may|june|july|august|september|october|november|december|mon|tues|wednes|thurs|fri|satur|sun)(?:day|days)?$/i.test(
    word,
  )
}
