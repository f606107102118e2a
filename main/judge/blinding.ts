import { hash } from 'node:crypto'
import type { JudgedAnswer, PromptLeak } from '../../contract/evidence/judgments.ts'
import type { JudgeTask } from '../../core/judging/judge-task.ts'
import { neutralize } from '../../core/judging/neutralize.ts'
import type { JudgeClient } from './judge-client.ts'
import { isContent, type LeakScan } from './leak-scan.ts'
import type { PanelQuestion } from './panel-input.ts'

// A judge is shown this of a question: answers without anything that identifies their approach, in an order that differs by judge and rotation.
//
// 1. Names of approaches and engines are withheld from the answers; what cannot be withheld is a leak, and a leak blocks the prompt.
// 2. Answers are cut to one length and made inert: no delimiters, control sequences or hidden characters.
// 3. Their order depends on a hash of question, approach and judge, shifted by the rotation, so that every position is used equally often.

/** A question whose answers are ready to be shown. */
export interface BlindedQuestion {
  question: PanelQuestion
  shown: ReadonlyMap<string, ShownAnswer>
  /** Holds what could not be withheld; empty when the texts identify no approach. */
  leaks: PromptLeak[]
  withheld: PromptLeak[]
  /** Names of products, in lower case, that the question and its sources speak of: content, in whatever answer. */
  content: ReadonlySet<string>
}

/**
 * Caps and neutralises the answers of a question, withholds from them what identifies an approach, and looks for leaks in every text that a
 * judge would read. The question and the reference are shown as they are or not at all.
 */
export function blindQuestion(
  question: PanelQuestion,
  scan: LeakScan,
  showsReference: boolean,
  more: readonly string[] = [],
): BlindedQuestion {
  const sources = [question.query, question.groundTruth ?? '', ...question.evidence].join('\n')
  const content = new Set(scan(sources).flatMap(({ kind, text }) => (kind === 'engine' ? [text.toLowerCase()] : [])))
  const withheld: PromptLeak[] = []
  const shown = new Map(
    question.answers.map(({ model, answer }) => {
      const given = answer === null ? null : scan.withhold(answer, content)
      for (const leak of given?.leaks ?? []) withheld.push({ ...leak, found_in: model })
      const isChanged = given !== null && given.leaks.length > 0
      const { neutralized, ...rest } = shownAnswer(given?.text ?? null)
      return [model, { ...rest, neutralized: neutralized || isChanged }]
    }),
  )
  const texts: [string, string][] = [
    ['question', question.query],
    ...(showsReference && question.groundTruth !== null
      ? [['reference', question.groundTruth] as [string, string]]
      : []),
    ...more.map((text): [string, string] => ['passage', text]),
    ...Array.from(shown, ([model, { text }]): [string, string] => [model, text]),
  ]
  const leaks = texts.flatMap(([found_in, text]) =>
    scan(text).flatMap((leak) => (isContent(leak, content) ? [] : [{ ...leak, found_in }])),
  )
  return { question, shown, leaks, withheld, content }
}

/** Returns what the artifact keeps of the answers as they were shown. */
export function judgedAnswers({ shown }: BlindedQuestion): Record<string, JudgedAnswer> {
  return Object.fromEntries(
    Array.from(shown, ([model, { text, answered, capped, neutralized }]) => [
      model,
      { answered, characters: text.length, capped, neutralized, sha256: hash('sha256', text) },
    ]),
  )
}

/** One prompt to come: who is asked, in which order, and what. */
export interface BlindedTask {
  /** `order[0]` is A. */
  order: string[]
  task: JudgeTask
}

/**
 * The task of one judge in one rotation. Chat judges get no evidence; the ground truth, and that a question has no answer, where the panel shows
 * the reference.
 */
export function blindedTask(
  { question, shown, content }: BlindedQuestion,
  judge: Pick<JudgeClient, 'name' | 'kind'>,
  rotation: number,
  showsReference: boolean,
): BlindedTask {
  const order = answerOrder([...shown.keys()], { queryId: question.id, judge: judge.name, rotation })
  const isChat = judge.kind === 'chat'
  const reference = isChat && !showsReference ? null : question.groundTruth
  const answers = order.map((model, position) => {
    const { text, answered } = shown.get(model)!
    return { letter: letterAt(position), text, answered }
  })
  const texts = [question.query, reference ?? '', ...answers.map(({ text }) => text)]
  return {
    order,
    task: {
      question: question.query,
      reference,
      answerable: (isChat && !showsReference) || question.answerable,
      evidence: isChat ? [] : question.evidence,
      answers,
      ...(content.size === 0 ? {} : { content: [...content].sort() }),
      token: boundaryToken(texts, `${question.id}/${judge.name}/${rotation}`),
    },
  }
}

/** Mark of one prompt, computed from its texts: no author of an answer can have known it. `index` must make prompts of one set differ. */
function boundaryToken(texts: readonly string[], index: string): string {
  for (let salt = 0; ; salt += 1) {
    const token = hash('sha256', JSON.stringify([index, salt, texts])).slice(0, 12)
    if (texts.every((text) => !text.includes(token))) return token
  }
}

/** Describes what the order of the answers in one prompt depends on. */
interface OrderKey {
  queryId: string
  judge: string
  rotation: number
}

/** The letter of a position: A to Z, then AA, AB and on. */
export function letterAt(position: number): string {
  const last = String.fromCharCode(65 + (position % 26))
  return position < 26 ? last : letterAt(Math.floor(position / 26) - 1) + last
}

/**
 * The aliases in the order of their letters: sorted by SHA-1 of question, alias, judge and salt, then shifted by the rotation. So each judge
 * has an order of its own, and in as many rotations as there are answers each answer is at each position once (a cyclic Latin
 * square). Further rotations start a new square from another hash. Does not depend on the order of `models`.
 */
export function answerOrder(models: readonly string[], { queryId, judge, rotation }: OrderKey, salt = ''): string[] {
  const size = models.length
  if (size === 0) return []
  const square = Math.floor(rotation / size)
  const shift = rotation % size
  const hashed = models
    .map((model) => ({ model, hash: hash('sha1', JSON.stringify([queryId, model, judge, square, salt])) }))
    .sort((a, b) => (a.hash < b.hash ? -1 : a.hash > b.hash ? 1 : a.model < b.model ? -1 : 1))
    .map(({ model }) => model)
  return [...hashed.slice(shift), ...hashed.slice(0, shift)]
}

/** Most characters (UTF-16 units) of an answer that a judge is shown. */
export const ANSWER_CAP = 1200

/** Shown instead of the answer of a failed cell. */
export const NO_ANSWER = '(no answer)'

/** The first `limit` UTF-16 units, one less where that would split a character. */
export function cut(text: string, limit: number): string {
  if (text.length <= limit) return text
  return text.slice(0, /[\uD800-\uDBFF]/.test(text[limit - 1]!) ? limit - 1 : limit)
}

interface ShownAnswer {
  text: string
  answered: boolean
  capped: boolean
  neutralized: boolean
}

/** A stored answer → what a judge is shown; null is a failed cell. An answer that is blank, or becomes it, is none either. */
export function shownAnswer(answer: string | null): ShownAnswer {
  const stored = (answer ?? '').replace(/\r\n?/g, '\n').trim()
  const inert = neutralize(stored).trim()
  if (inert === '') return { text: NO_ANSWER, answered: false, capped: false, neutralized: false }
  const text = cut(inert, ANSWER_CAP)
  return { text, answered: true, capped: text.length < inert.length, neutralized: inert !== stored }
}
