import { DraftQuestionsResponse, MAX_DRAFTS_A_CALL, type DraftPassage } from '../../../contract/http/draft.ts'
import type { DraftedQuestion, DraftStep } from '../../../contract/control/drafted-questions.ts'
import { classOfHops, questionClass, type QuestionClass } from '../../../contract/question-classes.ts'
import type { LadderDataset } from '../../manifests/experiment.ts'
import { hasCheckedText } from '../../manifests/datasets/gold-problems.ts'
import { DatasetEditError } from '../../manifests/datasets/own-datasets.ts'
import { createPlatformClient, type PlatformAddress } from '../../runner/platform/platform-client.ts'
import { documentsOf, readText } from './corpus-reader.ts'
import { draftDifficulty, type DraftDifficulty } from './draft-difficulty.ts'
import { choosePassages, groupPassages, pairPassages, passagesOf, withDate } from './draft-passages.ts'
import { DROPPED, questionKey, verifyDraft, type DropReason, type VerifiedDraft } from './verify-draft.ts'

/** Questions that one call asks for, where there are passages enough: more of one passage become trivial. */
const USUAL_A_CALL = 3
/** Of a larger corpus so many documents are read, spread over all of it. */
const MOST_DOCUMENTS = 400

export interface DraftWish {
  count: number
  /** Facts to join, where no class is named. */
  hops: number
  classes?: readonly QuestionClass[] | undefined
  documents?: readonly string[] | undefined
  /** Rules find few questions in a passage and cost nothing: they are shown all passages until there are enough. */
  rules: boolean
}

interface DraftCall {
  count: number
  passages: DraftPassage[]
  question_class: QuestionClass
}

export interface DraftWork {
  calls: DraftCall[]
  documents: number
  unread: number
  /** All passages that the calls were chosen from. */
  passages: DraftPassage[]
}

/** Which passages are sent, and how many questions are asked for with each; reads the documents and calls nothing. Throws `DatasetEditError`. */
export async function planDrafts(root: string, dataset: LadderDataset, wish: DraftWish): Promise<DraftWork> {
  const all = await documentsOf(root, dataset)
  const unknown = wish.documents?.find((path) => !all.includes(path))
  if (unknown !== undefined) throw new DatasetEditError('documents', `${dataset.dataset.id} has no document ${unknown}`)
  const classes = wish.classes ?? [classOfHops(wish.hops)]
  if (wish.rules && classes.some((kind) => kind !== 'one_fact'))
    throw new DatasetEditError(
      wish.classes === undefined ? 'hops' : 'classes',
      'rules draft questions of one fact only: ask for these, or choose a language model for the role light_gen',
    )
  const wanted = wish.documents ?? all
  const readable = wanted.filter(hasCheckedText)
  const sampled = choosePassages(readable, MOST_DOCUMENTS)
  const passages: DraftPassage[] = []
  for (const path of sampled) passages.push(...passagesOf(path, (await readText(root, dataset, path)) ?? ''))
  if (passages.length === 0)
    throw new DatasetEditError(
      'documents',
      `no document of ${dataset.dataset.id} has a passage to draft from: drafts need Markdown or plain text`,
    )
  const head = { documents: sampled.length, unread: wanted.length - readable.length, passages }
  if (wish.rules) {
    const call = { count: USUAL_A_CALL, question_class: 'one_fact' } as const
    return { ...head, calls: inTurns(passages).map((passage) => ({ ...call, passages: [passage] })) }
  }
  return {
    ...head,
    calls: classes.flatMap((kind, at) => callsFor(kind, shareOf(wish.count, at, classes.length), passages)),
  }
}

/** An equal share of a number; the first shares are larger by one where it cannot be divided. */
const shareOf = (count: number, at: number, shares: number): number =>
  Math.floor(count / shares) + (at < count % shares ? 1 : 0)

/** The calls for questions of one class. Throws `DatasetEditError` where the documents have no passages for it. */
function callsFor(kind: QuestionClass, count: number, passages: readonly DraftPassage[]): DraftCall[] {
  if (count === 0) return []
  const { passages: size, label } = questionClass(kind)
  if (size === 1) {
    const single = choosePassages(passages, Math.ceil(count / USUAL_A_CALL)).map((passage) => [passage])
    return callsOf(single, count, kind)
  }
  const from = kind === 'time' ? passages.filter(withDate) : passages
  const groups = size === 2 ? pairPassages(from, count) : groupPassages(from, count, size)
  if (groups.length > 0) return callsOf(groups, count, kind)
  const dated = kind === 'time' ? ' with dates' : ''
  const lacking =
    size === 2 ? `no two documents${dated} share a name or term` : 'no name or term is in at least three documents'
  throw new DatasetEditError(
    'classes',
    `${lacking}, as ${label.toLowerCase()} needs: choose other classes, or name other documents`,
  )
}

/** The first passage of every document, then the second ones, and so on. */
function inTurns(passages: readonly DraftPassage[]): DraftPassage[] {
  const documents = [...Map.groupBy(passages, ({ document }) => document).values()]
  const longest = Math.max(...documents.map(({ length }) => length))
  return Array.from({ length: longest }, (_, turn) => documents.flatMap((each) => each[turn] ?? [])).flat()
}

/** Spreads a number of questions over groups of passages. */
function callsOf(groups: readonly DraftPassage[][], count: number, kind: QuestionClass): DraftCall[] {
  return groups.slice(0, count).map((passages, index, { length }) => ({
    passages,
    question_class: kind,
    count: Math.min(MAX_DRAFTS_A_CALL, shareOf(count, index, length)),
  }))
}

/** About four characters to a token, and what the instructions take; an answer with its quote takes about a hundred. */
export function expectedTokens(calls: readonly DraftCall[]): { input_tokens: number; output_tokens: number } {
  const input = calls.map(({ passages }) => 350 + passages.reduce((sum, { text }) => sum + text.length / 4, 0))
  const questions = calls.reduce((sum, { count }) => sum + count, 0)
  return { input_tokens: Math.round(input.reduce((sum, each) => sum + each, 0)), output_tokens: questions * 120 }
}

interface DraftRun {
  dataset: LadderDataset
  drafts: readonly DraftedQuestion[]
  wish: DraftWish
  calls: readonly DraftCall[]
  /** All passages of the plan: questions are ranked against them. */
  passages: readonly DraftPassage[]
  platform: PlatformAddress
  signal: AbortSignal
  now?: () => Date
  /** Keeps drafts, durably. */
  keep: (drafts: readonly Omit<DraftedQuestion, 'id'>[]) => Promise<unknown>
}

/** Asks for drafts call by call, checks and keeps them. Throws `PlatformError` when the model cannot be asked; what was kept stays. */
export async function* draftSteps(run: DraftRun): AsyncGenerator<DraftStep> {
  const { dataset, wish, calls, platform, signal, keep, now = () => new Date() } = run
  const asked = new Set(
    [...dataset.questions.map(({ query }) => query), ...run.drafts.map(({ question }) => question.query)].map(
      questionKey,
    ),
  )
  const dropped = new Map<DropReason, number>()
  const drop = (reason: DropReason): void => void dropped.set(reason, (dropped.get(reason) ?? 0) + 1)
  const total = () => [...dropped.values()].reduce((sum, count) => sum + count, 0)
  let [done, drafted, repaired] = [0, 0, 0]
  let usage: { input_tokens: number; output_tokens: number } | null = { input_tokens: 0, output_tokens: 0 }
  const difficulty = draftDifficulty(run.passages)
  const client = createPlatformClient(platform)
  try {
    for (const call of calls) {
      if (drafted >= wish.count) break
      yield { type: 'progress', calls: done, of: calls.length, drafted, dropped: total() }
      const answer = await client.ask(DraftQuestionsResponse, 'POST', '/api/questions/draft', call, signal)
      done += 1
      if (answer.problem !== null) drop('unreadable')
      usage =
        usage === null || answer.usage === null
          ? null
          : {
              input_tokens: usage.input_tokens + answer.usage.input_tokens,
              output_tokens: usage.output_tokens + answer.usage.output_tokens,
            }
      const texts = new Map(call.passages.map(({ document, text }) => [document, text]))
      const kept: Omit<DraftedQuestion, 'id'>[] = []
      for (const raw of answer.drafts) {
        if (drafted + kept.length >= wish.count) break
        const outcome = verifyDraft(raw, texts, asked, call.question_class)
        if (!outcome.ok) {
          drop(outcome.reason)
          continue
        }
        asked.add(questionKey(outcome.draft.query))
        if (outcome.draft.repaired) repaired += 1
        kept.push({
          ...questionOf(outcome.draft, call.question_class, difficulty),
          model: answer.model,
          rules: answer.rules,
          repaired: outcome.draft.repaired,
          drafted_at: now().toISOString(),
        })
      }
      await keep(kept)
      drafted += kept.length
    }
  } finally {
    difficulty.close()
    await client.close()
  }
  const reasons = [...dropped].map(([reason, count]) => ({ count, reason: DROPPED[reason] }))
  yield { type: 'done', calls: done, drafted, repaired, dropped: reasons, usage }
}

/** The question of a draft with the class as a tag, how hard keyword search finds its passages, and what is nearest to one without any. */
function questionOf(
  { query, ground_truth, gold }: VerifiedDraft,
  kind: QuestionClass,
  difficulty: DraftDifficulty,
): Pick<DraftedQuestion, 'question' | 'question_class' | 'bm25_rank' | 'nearest'> {
  const answerable = questionClass(kind).least > 0
  const rest = { answer_keys: [], rationale: null, expect_winner: null, tags: [kind] }
  const hops = answerable ? new Set(gold.map(({ document }) => document)).size : null
  const nearest = answerable ? null : difficulty.nearest(query)
  return {
    question: { query, ground_truth, gold, hops, answerable, ...rest },
    question_class: kind,
    bm25_rank: difficulty.rankOf(query, gold),
    ...(nearest === null ? {} : { nearest }),
  }
}
