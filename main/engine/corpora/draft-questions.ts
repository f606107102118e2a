import { DraftQuestionsResponse, MAX_DRAFTS_A_CALL, type DraftPassage } from '../../../contract/http/draft.ts'
import type { DraftedQuestion, DraftStep } from '../../../contract/control/drafted-questions.ts'
import type { LadderDataset } from '../../manifests/experiment.ts'
import { hasCheckedText } from '../../manifests/datasets/gold-problems.ts'
import { DatasetEditError } from '../../manifests/datasets/own-datasets.ts'
import { createPlatformClient, type PlatformAddress } from '../../runner/platform/platform-client.ts'
import { documentsOf, readText } from './corpus-reader.ts'
import { choosePassages, pairPassages, passagesOf } from './draft-passages.ts'
import { DROPPED, questionKey, verifyDraft, type DropReason } from './verify-draft.ts'

/** Questions that one call asks for, where there are passages enough: more of one passage become trivial. */
const USUAL_A_CALL = 3
/** Of a larger corpus so many documents are read, spread over all of it. */
const MOST_DOCUMENTS = 400

export interface DraftWish {
  count: number
  hops: number
  documents?: readonly string[] | undefined
  /** Rules find few questions in a passage and cost nothing: they are shown all passages until there are enough. */
  rules: boolean
}

interface DraftCall {
  count: number
  passages: DraftPassage[]
}

export interface DraftWork {
  calls: DraftCall[]
  documents: number
  unread: number
}

/** Which passages are sent, and how many questions are asked for with each; reads the documents and calls nothing. Throws `DatasetEditError`. */
export async function planDrafts(root: string, dataset: LadderDataset, wish: DraftWish): Promise<DraftWork> {
  const all = await documentsOf(root, dataset)
  const unknown = wish.documents?.find((path) => !all.includes(path))
  if (unknown !== undefined) throw new DatasetEditError('documents', `${dataset.dataset.id} has no document ${unknown}`)
  if (wish.rules && wish.hops > 1)
    throw new DatasetEditError(
      'hops',
      'rules draft from one passage only: ask for 1 hop, or choose a language model for the role light_gen',
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
  const head = { documents: sampled.length, unread: wanted.length - readable.length }
  if (wish.hops > 1) {
    const pairs = pairPassages(passages, wish.count)
    if (pairs.length === 0)
      throw new DatasetEditError(
        'hops',
        'no two documents share a name or term: ask for 1 hop, or name other documents',
      )
    return { ...head, calls: callsOf(pairs, wish.count) }
  }
  if (wish.rules)
    return { ...head, calls: inTurns(passages).map((passage) => ({ count: USUAL_A_CALL, passages: [passage] })) }
  const chosen = choosePassages(passages, Math.ceil(wish.count / USUAL_A_CALL))
  const single = chosen.map((passage) => [passage])
  return { ...head, calls: callsOf(single, wish.count) }
}

/** The first passage of every document, then the second ones, and so on. */
function inTurns(passages: readonly DraftPassage[]): DraftPassage[] {
  const documents = [...Map.groupBy(passages, ({ document }) => document).values()]
  const longest = Math.max(...documents.map(({ length }) => length))
  return Array.from({ length: longest }, (_, turn) => documents.flatMap((each) => each[turn] ?? [])).flat()
}

/** Spreads a number of questions over groups of passages. */
function callsOf(groups: readonly DraftPassage[][], count: number): DraftCall[] {
  return groups.slice(0, count).map((passages, index, { length }) => ({
    passages,
    count: Math.min(MAX_DRAFTS_A_CALL, Math.floor(count / length) + (index < count % length ? 1 : 0)),
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
        const outcome = verifyDraft(raw, texts, asked)
        if (!outcome.ok) {
          drop(outcome.reason)
          continue
        }
        const { query, ground_truth, gold } = outcome.draft
        asked.add(questionKey(query))
        if (outcome.draft.repaired) repaired += 1
        const rest = { answerable: true, answer_keys: [], rationale: null, expect_winner: null, tags: [] }
        kept.push({
          question: { query, ground_truth, gold, hops: wish.hops, ...rest },
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
    await client.close()
  }
  const reasons = [...dropped].map(([reason, count]) => ({ count, reason: DROPPED[reason] }))
  yield { type: 'done', calls: done, drafted, repaired, dropped: reasons, usage }
}
