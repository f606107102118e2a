import type { EditedQuestion } from '../../../contract/evidence/tuning.ts'
import { plural } from '../../../contract/words.ts'

const MOST_NAMED = 8

/** `q3 and q7 (other words), q9 (another question)`; of many the first eight. */
export function editedNames(edited: readonly EditedQuestion[]): string {
  const named = edited.slice(0, MOST_NAMED).map(({ id, change }) => `${id} (${CHANGES[change]})`)
  const more = edited.length - named.length
  return `${named.join(', ')}${more === 0 ? '' : ` and ${more} more`}`
}

const CHANGES: Readonly<Record<EditedQuestion['change'], string>> = {
  text: 'other words',
  evidence: 'other gold evidence or reference',
  replaced: 'another question',
}

/** Names the questions of a holdout that are not as they were when it was sealed; nothing where all are. */
export function editedHoldoutWords(edited: readonly EditedQuestion[] = []): string[] {
  if (edited.length === 0) return []
  const [is, each] = edited.length === 1 ? ['is', 'it'] : ['are', 'them']
  const replaced = edited.filter(({ change }) => change === 'replaced').length
  const counted =
    replaced === 0
      ? `Earlier openings still count for ${each}.`
      : `Earlier openings still count, except for ${replaced === 1 ? 'the one that is' : 'those that are'} another question.`
  return [
    `${plural(edited.length, 'question')} of the holdout ${is} not as ${edited.length === 1 ? 'it was' : 'they were'} when it was sealed: ${editedNames(edited)}. ${counted}`,
  ]
}
