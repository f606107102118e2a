import type { BlurbTask } from '../../prompts/blurb-task.ts'
import { blocksOf } from '../language/blocks.ts'
import { namesOf } from '../language/names.ts'
import { plainText } from '../language/plain-text.ts'
import { sentencesOf } from '../language/sentences.ts'
import { tokensOf } from '../language/tokens.ts'

const MOST_SUBJECTS = 3
const LONGEST_LEAD = 200

/** The headings that stand above an offset, outermost first; the document's own title is left out. */
function headingsAbove(document: string, offset: number, title: string): string[] {
  const open: { level: number; text: string }[] = []
  for (const block of blocksOf(document)) {
    if (block.start > offset) break
    if (block.kind !== 'heading') continue
    while (open.length > 0 && open.at(-1)!.level >= block.level) open.pop()
    open.push({ level: block.level, text: plainText(document.slice(block.start, block.end)) })
  }
  return open.map((heading) => heading.text).filter((text) => text !== title)
}

/** The names that a document comes back to most, with those in its title first. */
function subjectsOf(document: string, title: string): string[] {
  const counts = new Map<string, number>()
  for (const sentence of sentencesOf(document)) {
    if (sentence.kind === 'heading') continue
    for (const name of namesOf(sentence.text)) counts.set(name.text, (counts.get(name.text) ?? 0) + 1)
  }
  const weight = ([name, count]: [string, number]): number => count + (title.includes(name) ? 3 : 0)
  return [...counts]
    .filter(([name, count]) => count > 1 || title.includes(name))
    .toSorted((a, b) => weight(b) - weight(a))
    .map(([name]) => name)
}

/** The first sentence of running text: it tends to say what the document is about. */
function leadOf(document: string): { text: string; end: number } | null {
  const lead = sentencesOf(document).find((sentence) => sentence.kind === 'prose' && sentence.text.length > 30)
  return lead === undefined ? null : { text: lead.text, end: lead.end }
}

/** The last name before an offset that a pronoun at the start of the chunk may stand for. */
function nameBefore(document: string, offset: number): string | null {
  const before = sentencesOf(document).filter((sentence) => sentence.end <= offset && sentence.kind !== 'heading')
  for (const sentence of before.toReversed().slice(0, 6)) {
    const name = namesOf(sentence.text)[0]
    if (name !== undefined) return name.text
  }
  return null
}

const opensWithReference = (chunk: string): boolean =>
  /^\W*(?:he|she|it|they|his|her|its|their|this|these|that|those|the)\b/i.test(chunk)

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)!}`

/**
 * One or two sentences that situate a chunk in its document: title, section, the names that the document is about, and
 * its first sentence unless the chunk holds it.
 */
export function writeBlurb(task: BlurbTask): string {
  const { documentTitle: title, document, chunk } = task
  const offset = Math.max(0, document.indexOf(chunk))
  const section = headingsAbove(document, offset, title).filter((heading) => !chunk.includes(heading))
  const inChunk = new Set(tokensOf(chunk).map((token) => token.norm))
  const isNew = (name: string): boolean => tokensOf(name).some((token) => !inChunk.has(token.norm))
  const subjects = subjectsOf(document, title).filter(isNew).slice(0, MOST_SUBJECTS)
  const antecedent = offset > 0 && opensWithReference(chunk) ? nameBefore(document, offset) : null
  const names = [...new Set(antecedent !== null && isNew(antecedent) ? [antecedent, ...subjects] : subjects)]

  const place = section.length === 0 ? '' : `, section "${section.join(' – ')}"`
  const about = names.length === 0 ? '' : `, on ${listed(names.slice(0, MOST_SUBJECTS))}`
  const first = `From "${title}"${place}${about}.`
  const lead = leadOf(document)
  if (lead === null || offset < lead.end || chunk.includes(lead.text)) return first
  return `${first} ${lead.text.length > LONGEST_LEAD ? `${lead.text.slice(0, LONGEST_LEAD).replace(/\s+\S*$/, '')} …` : lead.text}`
}
