import { open, stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { GoldEvidence } from '../../../contract/manifests/queries.ts'
import { plural } from '../../../contract/words.ts'
import { evidenceWords } from '../../lib/text/evidence-words.ts'
import type { LadderDataset } from '../experiment.ts'
import { ManifestError } from '../manifest-error.ts'

// A gold fact that its document does not hold scores every approach 0 on that question, so it is reported before anything runs. Documents that
// a converter or a recognizer reads first have no text yet: of these only the file is looked for.

const TEXT_ENDINGS = new Set(['.md', '.markdown', '.txt'])
const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024
const MAX_PROBLEMS = 20
const MAX_PASSAGE = 160
const MAX_FACT = 400

/** Returns true when gold facts of a document are looked up in it. */
export const hasCheckedText = (document: string): boolean => TEXT_ENDINGS.has(extname(document).toLowerCase())

/** Null for what is not read as text here. */
async function textOf(path: string): Promise<string | null> {
  if (!hasCheckedText(path)) return null
  const file = await open(path)
  try {
    return (await file.stat()).size > MAX_DOCUMENT_BYTES ? null : await file.readFile('utf8')
  } finally {
    await file.close()
  }
}

/** Ends of sentences and lines. */
export const PASSAGE_END = /(?<=[.!?])\s+|\n+/u

/** The sentence or line with most of the fact's words; null when none has any. */
export function nearestPassage(text: string, fact: readonly string[]): string | null {
  const wanted = new Set(fact)
  let best: { passage: string; shared: number } | null = null
  for (const passage of text.split(PASSAGE_END)) {
    const shared = new Set(evidenceWords(passage)).intersection(wanted).size
    if (shared > (best?.shared ?? 0)) best = { passage: passage.trim(), shared }
  }
  return best?.passage ?? null
}

const shortened = (text: string, most = MAX_FACT): string =>
  text.length <= most ? text : `${text.slice(0, most).toWellFormed()}…`

/** Reports what is wrong with single facts of a dataset, each document read once; null for one that its document holds. */
export function goldChecker(
  root: string,
  { dataset }: Pick<LadderDataset, 'dataset'>,
): (evidence: GoldEvidence) => Promise<string | null> {
  const folder = join(root, dataset.corpus_path)
  const known = new Map<string, Promise<{ text: string | null; words: string } | null>>()
  const read = async (document: string): Promise<{ text: string | null; words: string } | null> => {
    const path = join(folder, document)
    if ((await stat(path).catch(() => null))?.isFile() !== true) return null
    const text = await textOf(path)
    return { text, words: text === null ? '' : ` ${evidenceWords(text).join(' ')} ` }
  }
  return async ({ document, fact }) => {
    if (!known.has(document)) known.set(document, read(document))
    const found = await known.get(document)!
    if (found === null) return `${document} is not in ${dataset.corpus_path}: add the document or correct its name`
    if (found.text === null || fact === undefined) return null
    const words = evidenceWords(fact)
    if (words.length > 0 && found.words.includes(` ${words.join(' ')} `)) return null
    const nearest = nearestPassage(found.text, words)
    const hint = nearest === null ? '' : ` The nearest passage is "${shortened(nearest, MAX_PASSAGE)}".`
    return `${document} does not hold the fact "${shortened(fact)}".${hint} Copy the fact from the document`
  }
}

/** Returns what is wrong with the gold evidence of a dataset, one sentence per fact, questions named by id; empty when all of it is in its documents. */
export async function goldProblems(root: string, dataset: LadderDataset): Promise<string[]> {
  const problemOf = goldChecker(root, dataset)
  const problems: string[] = []
  for (const { id, gold } of dataset.questions)
    for (const evidence of gold) {
      const problem = await problemOf(evidence)
      if (problem !== null) problems.push(`question ${id}: ${problem}`)
    }
  const more = problems.length - MAX_PROBLEMS
  return more > 0 ? [...problems.slice(0, MAX_PROBLEMS), `and ${plural(more, 'other gold fact')}`] : problems
}

/** Step 1 of the ladder, after the corpus: throws `ManifestError` with every gold fact that its document does not hold. */
export async function checkGold(root: string, dataset: LadderDataset): Promise<void> {
  const problems = await goldProblems(root, dataset)
  if (problems.length > 0) throw new ManifestError(dataset.dataset.queries_file, problems)
}
