import { refusedByRule } from '../../../../../contract/index.ts'
import { isNoAnswer } from '../../prompts/answer-task.ts'
import { taggedTokens } from '../language/part-of-speech.ts'
import { sentencesOf } from '../language/sentences.ts'
import { resolveOpeningPronouns } from './pronoun-subjects.ts'

const CLAUSE_BORDER =
  /;\s+|,\s+(?:and|but|while|whereas)\s+(?=(?:he|she|it|they|the|this|these|those|an?|his|her|its|their|there|\p{Lu}\p{L}+)\s)/giu

const isClause = (text: string): boolean =>
  text.length > 12 && taggedTokens(text).some((token) => token.pos === 'VERB' || token.pos === 'AUX')

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** Main clauses of a sentence; left whole where a part would not be a clause of its own. */
function clausesOf(sentence: string): string[] {
  const parts = sentence.split(CLAUSE_BORDER)
  if (parts.length === 1 || !parts.every(isClause)) return [sentence]
  return parts.map((part) =>
    capitalised(part.trim())
      .replace(/[,;]$/, '')
      .replace(/(?<![.!?…])$/, '.'),
  )
}

/**
 * The claims of an answer, each to be understood alone: its clauses, with an opening pronoun replaced by the last named
 * subject where that is clear. A refusal claims nothing, in whatever words.
 */
export function splitStatements(answer: string): string[] {
  if (isNoAnswer(answer) || refusedByRule(answer) === true) return []
  const sentences = sentencesOf(answer).filter((sentence) => sentence.kind !== 'heading')
  const clauses = sentences.flatMap((sentence) =>
    sentence.kind === 'table_row' ? [sentence.text] : clausesOf(sentence.text),
  )
  return resolveOpeningPronouns(clauses.filter((clause) => /[\p{L}\p{N}]/u.test(clause)))
}
