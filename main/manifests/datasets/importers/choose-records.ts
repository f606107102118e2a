import { countWords, plural } from '../../../../contract/words.ts'
import { ImportError, type ImportedQuestion, type OpenSource } from './importer.ts'
import type { LeftOut } from './left-out.ts'
import { hash } from 'node:crypto'
import { remedyFor } from '../../../evidence/typed-command.ts'

// Seeded samples that do not depend on the order of the source: a candidate's place is the hash of seed and key.

interface Candidate {
  key: string
  /** Kinds keep their share of the whole. */
  stratum: string
}

const placeOf = (key: string, seed: number): string => hash('sha256', `${seed}\0${key}`).slice(0, 16)

/** The first by the seed; there must be one. */
const firstOf = <Item>(items: readonly Item[], keyOf: (item: Item) => string, seed: number): Item =>
  items.toSorted((one, other) => (placeOf(keyOf(one), seed) < placeOf(keyOf(other), seed) ? -1 : 1))[0]!

/** Keys of a stratified sample of `size`, or of all: each stratum gets its share, the largest remainders the rest. */
function sampleOf(candidates: readonly Candidate[], size: number, seed: number): Set<string> {
  if (size >= candidates.length) return new Set(candidates.map(({ key }) => key))
  const strata = [...Map.groupBy(candidates, ({ stratum }) => stratum)]
    .map(([name, members]) => {
      const share = (size * members.length) / candidates.length
      return { name, members, count: Math.floor(share), rest: share - Math.floor(share) }
    })
    .toSorted((one, other) => other.rest - one.rest || (one.name < other.name ? -1 : 1))
  let left = size - strata.reduce((sum, { count }) => sum + count, 0)
  for (const stratum of strata) {
    if (left === 0) break
    stratum.count += 1
    left -= 1
  }
  return new Set(
    strata.flatMap(({ members, count }) =>
      members
        .map(({ key }) => ({ key, place: placeOf(key, seed) }))
        .toSorted((one, other) => (one.place < other.place ? -1 : 1))
        .slice(0, count)
        .map(({ key }) => key),
    ),
  )
}

// Which questions and documents of a source are imported. A sample of questions keeps the shares of the source's own kinds. Documents are those
// with gold evidence, then a sample of those that the source puts beside the questions, then of all others.

const MAX_QUESTIONS = 10_000
/** As many files as an archive of a dataset may hold. */
export const MAX_DOCUMENTS = 300_000

export const tooManyDocuments = (count: number): ImportError =>
  new ImportError(
    `${plural(count, 'document')} are more than a dataset holds (${countWords(MAX_DOCUMENTS)}): take a sample${remedyFor({ panel: ' of the documents', commandLine: ' with --documents' })}`,
  )

/** The questions of the import. `blocked` are documents that would make a question answerable that is chosen as unanswerable. */
export async function chooseQuestions(
  source: OpenSource,
  wanted: number | null,
  seed: number,
  leftOut: LeftOut,
): Promise<{ questions: ImportedQuestion[]; of: number; blocked: Set<string> }> {
  const candidates = new Map<string, GroupedCandidate>()
  const answerableGroups = new Set<string>()
  for await (const { id, stratum, problem, group = null, answerable } of source.questions()) {
    if (typeof problem === 'string') leftOut.add(`questions: ${problem}`, id)
    else if (candidates.has(id)) leftOut.add('questions: the id of another one', id)
    else {
      if (group !== null && answerable) answerableGroups.add(group)
      candidates.set(id, { key: id, stratum, answerable, group })
    }
  }
  const all = [...candidates.values()]
  // Without a sample every answerable question of a group is taken.
  const usable =
    wanted === null
      ? all.filter(({ answerable, group, key }) => {
          const isDropped = !answerable && group !== null && answerableGroups.has(group)
          if (isDropped) leftOut.add('unanswerable questions: documents of their answerable form answer them', key)
          return !isDropped
        })
      : oneOfEachGroup(all, seed)
  const keys = wanted === null ? new Set(usable.map(({ key }) => key)) : sampleOf(usable, wanted, seed)
  if (keys.size > MAX_QUESTIONS)
    throw new ImportError(
      `the source has ${plural(keys.size, 'question')} and a dataset holds ${countWords(MAX_QUESTIONS)}: take a sample${remedyFor({ panel: ' of the questions', commandLine: ' with --questions' })}`,
    )
  return { ...(await readChosen(source, candidates, keys, leftOut)), of: all.length }
}

/** A question without its content. */
type GroupedCandidate = Candidate & { answerable: boolean; group: string | null }

/** The chosen questions with their content, and the documents that would answer those of them that are unanswerable. */
async function readChosen(
  source: OpenSource,
  candidates: ReadonlyMap<string, GroupedCandidate>,
  keys: ReadonlySet<string>,
  leftOut: LeftOut,
): Promise<{ questions: ImportedQuestion[]; blocked: Set<string> }> {
  const unanswerable = new Set(
    [...keys].flatMap((key) => {
      const { answerable, group } = candidates.get(key)!
      return answerable ? [] : (group ?? [])
    }),
  )
  const questions = new Map<string, ImportedQuestion>()
  const answering = new Map<string, string[]>()
  for await (const question of source.questions()) {
    const { id, group, answerable, gold } = question
    if (keys.has(id)) {
      if (!questions.has(id)) questions.set(id, question)
    } else if (answerable && group !== undefined && unanswerable.has(group))
      answering.set(
        group,
        gold.map(({ key }) => key),
      )
  }
  const needed = new Set([...questions.values()].flatMap(({ gold }) => gold.map(({ key }) => key)))
  const kept = [...questions.values()].filter(({ id, answerable, group }) => {
    const isAnswered =
      !answerable && group !== undefined && answering.get(group)?.some((key) => needed.has(key)) === true
    if (isAnswered) leftOut.add('unanswerable questions: gold documents of other questions answer them', id)
    return !isAnswered
  })
  const blocked = new Set(
    kept.flatMap(({ answerable, group }) => (answerable || group === undefined ? [] : (answering.get(group) ?? []))),
  )
  return { questions: kept, blocked }
}

/** One question of each group, by the seed: half of MuSiQue-Full's pairs give their unanswerable one. */
const oneOfEachGroup = (candidates: readonly GroupedCandidate[], seed: number): GroupedCandidate[] =>
  [...Map.groupBy(candidates, ({ group, key }) => group ?? key).values()].map((same) =>
    firstOf(same, ({ key }) => key, seed),
  )

/** Keys of the documents to be written; null for all. */
export async function chooseDocuments(
  source: OpenSource,
  questions: readonly ImportedQuestion[],
  blocked: ReadonlySet<string>,
  limit: number | null,
  isSample: boolean,
  seed: number,
): Promise<{ taken: Set<string> | null; blocked: ReadonlySet<string> }> {
  const gold = new Set(questions.flatMap((question) => question.gold.map(({ key }) => key)))
  const near = new Set(questions.flatMap((question) => question.near))
  if (limit === null) return { taken: isSample && near.size > 0 ? near.union(gold).difference(blocked) : null, blocked }
  if (limit > MAX_DOCUMENTS) throw tooManyDocuments(limit)
  if (limit < gold.size)
    throw new ImportError(
      `${remedyFor({ panel: 'Documents', commandLine: '--documents' })} ${limit}: the ${plural(questions.length, 'question')} have ${plural(gold.size, 'gold document')}, which are all needed: name ${gold.size} or more, or fewer questions`,
    )
  const close = near.difference(gold).difference(blocked)
  const taken = gold.union(
    sampleOf(
      [...close].map((key) => ({ key, stratum: '' })),
      limit - gold.size,
      seed,
    ),
  )
  if (taken.size === limit) return { taken, blocked }
  const others = new Map<string, Candidate>()
  for await (const { key } of source.documents())
    if (!taken.has(key) && !blocked.has(key)) others.set(key, { key, stratum: '' })
  return { taken: taken.union(sampleOf([...others.values()], limit - taken.size, seed)), blocked }
}
