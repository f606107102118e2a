import { datesOf } from '../language/dates.ts'
import { namesOf } from '../language/names.ts'
import { numbersOf } from '../language/number-words.ts'
import { rootOf } from '../language/roots.ts'
import { tokensOf } from '../language/tokens.ts'
import type { AnswerKind, Question } from './question.ts'

const REASON =
  /\b(?:because|since|so that|therefore|owing to|due to|as a result|which is why|in order|cause[sd]?|reason|for fear|to (?:avoid|prevent|keep|save|let|make|spare|protect))\b/i
const MANNER = /\b(?:by|with|using|through|via|means of)\b/i
const MONEY =
  /[£$€¥]\s?\d|\b(?:pounds?|dollars?|euros?|francs?|guilders?|crowns?|guineas?|shillings?|pence|cents?|yen|marks?|roubles?|rupees?|free of charge|nothing)\b/i
const PLACE_CUE = /\b(?:in|at|near|on|from|to|off|of|outside|between|above|below|under)\s+(?:the\s+)?\p{Lu}/u

/** True when a text offers a name that the question does not already hold. */
function hasNewName(text: string, question: Question): boolean {
  const known = new Set(question.terms.map((term) => term.root))
  return namesOf(text).some((name) =>
    tokensOf(name.text).some((token) => !known.has(rootOf(token)) && token.kind !== 'number'),
  )
}

function hasNewNumber(text: string, question: Question): boolean {
  const known = new Set(numbersOf(tokensOf(question.text)).map((mention) => mention.value))
  const inDates = datesOf(text)
  const tokens = tokensOf(text)
  return numbersOf(tokens).some(
    (mention) =>
      !known.has(mention.value) &&
      !inDates.some((date) => tokens[mention.from]!.start >= date.start && tokens[mention.from]!.start < date.end),
  )
}

/** True when a text holds something of the kind that is asked for and that the question does not contain itself. */
export function offersKind(kind: AnswerKind, text: string, question: Question): boolean {
  switch (kind) {
    case 'person':
      return hasNewName(text, question)
    case 'place':
      return PLACE_CUE.test(text) && hasNewName(text, question)
    case 'date':
      return datesOf(text).some((date) => !question.text.includes(date.text))
    case 'number':
      return hasNewNumber(text, question)
    case 'money':
      return MONEY.test(text)
    case 'reason':
      return REASON.test(text)
    case 'manner':
      return MANNER.test(text)
    case 'thing':
      return true
  }
}

/** The share of the asked kinds that a text offers, 0 to 1; 1 when nothing particular is asked for. */
export function kindFit(text: string, question: Question): number {
  const { expects } = question
  if (expects.length === 0) return 1
  return expects.filter((kind) => offersKind(kind, text, question)).length / expects.length
}
