import type { BlurbTask } from '../../prompts/blurb-task.ts'
import { namesOf } from '../language/names.ts'
import { sentencesOf } from '../language/sentences.ts'
import { tokensOf } from '../language/tokens.ts'

const MOST_NAMES = 3
const LONGEST_LEAD = 200

/** The names that introduce the chunk, the nearest first: a pronoun at its start may refer to them. */
function namesBefore(before: string): string[] {
  const names = sentencesOf(before)
    .toReversed()
    .flatMap(({ text }) => namesOf(text).map((name) => name.text))
  return [...new Set(names)]
}

/** The first sentence of what introduces the chunk, which tends to state what the section is about. */
function leadOf(before: string): string | null {
  const lead = sentencesOf(before).find(({ kind, text }) => kind === 'prose' && text.length > 30)?.text
  if (lead === undefined || lead.length <= LONGEST_LEAD) return lead ?? null
  return `${lead.slice(0, LONGEST_LEAD).replace(/\s+\S*$/, '')} …`
}

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)!}`

/**
 * One or two sentences that situate a chunk: the document's title, the headings above it, the names in what introduces it, and the first sentence
 * of that. Nothing repeats the chunk's own text, and nothing comes from another part of the document.
 */
export function writeBlurb({ documentTitle: title, headings, before, chunk }: BlurbTask): string {
  const section = headings.filter((heading) => !chunk.includes(heading))
  const known = new Set(tokensOf([chunk, title, ...headings].join('\n')).map(({ norm }) => norm))
  const names = namesBefore(before).filter((name) => tokensOf(name).some(({ norm }) => !known.has(norm)))
  const place = section.length === 0 ? '' : `, section "${section.join(' – ')}"`
  const about = names.length === 0 ? '' : `, on ${listed(names.slice(0, MOST_NAMES))}`
  const first = `From "${title}"${place}${about}.`
  const lead = leadOf(before)
  return lead === null || chunk.includes(lead) ? first : `${first} ${lead}`
}
