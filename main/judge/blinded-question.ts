import { createHash } from 'node:crypto'
import type { JudgedAnswer, PromptLeak } from '../../contract/index.ts'
import { answerOrder, letterAt } from './answer-order.ts'
import { shownAnswer, type ShownAnswer } from './answer-text.ts'
import type { JudgeClient, JudgeTask } from './judge-client.ts'
import { boundaryToken } from './judge-prompt.ts'
import { isContent, type LeakScan } from './leak-scan.ts'
import type { PanelQuestion } from './panel-input.ts'

/** A question whose answers are ready to be shown. */
export interface BlindedQuestion {
  question: PanelQuestion
  shown: ReadonlyMap<string, ShownAnswer>
  /** What could not be withheld; empty when the texts tell nothing. */
  leaks: PromptLeak[]
  /** What was withheld from the answers. */
  withheld: PromptLeak[]
  /** Names of products, in lower case, that the question and its sources speak of: content, in whatever answer. */
  content: ReadonlySet<string>
}

/**
 * Caps and neutralises the answers of a question, withholds from them what identifies an approach, and looks for leaks in every text that a
 * judge would read. The question and the reference are shown as they are or not at all.
 */
export function blindQuestion(question: PanelQuestion, scan: LeakScan, showsReference: boolean): BlindedQuestion {
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
    ...Array.from(shown, ([model, { text }]): [string, string] => [model, text]),
  ]
  const leaks = texts.flatMap(([found_in, text]) =>
    scan(text).flatMap((leak) => (isContent(leak, content) ? [] : [{ ...leak, found_in }])),
  )
  return { question, shown, leaks, withheld, content }
}

/** What the artifact keeps of the answers as they were shown. */
export function judgedAnswers({ shown }: BlindedQuestion): Record<string, JudgedAnswer> {
  return Object.fromEntries(
    Array.from(shown, ([model, { text, answered, capped, neutralized }]) => [
      model,
      { answered, characters: text.length, capped, neutralized, sha256: sha256(text) },
    ]),
  )
}

/** One prompt to come: who is asked, in which order, and what. */
export interface BlindedTask {
  /** `order[0]` is A. */
  order: string[]
  task: JudgeTask
}

/** The task of one judge in one rotation. Chat judges get neither evidence nor, unless the panel shows it, the ground truth. */
export function blindedTask(
  { question, shown, content }: BlindedQuestion,
  judge: Pick<JudgeClient, 'name' | 'kind'>,
  rotation: number,
  showsReference: boolean,
): BlindedTask {
  const order = answerOrder([...shown.keys()], { queryId: question.id, judge: judge.name, rotation })
  const isChat = judge.kind === 'chat'
  const reference = isChat && !showsReference ? null : question.groundTruth
  const answers = order.map((model, place) => {
    const { text, answered } = shown.get(model)!
    return { letter: letterAt(place), text, answered }
  })
  const texts = [question.query, reference ?? '', ...answers.map(({ text }) => text)]
  return {
    order,
    task: {
      question: question.query,
      reference,
      answerable: isChat || question.answerable,
      evidence: isChat ? [] : question.evidence,
      answers,
      ...(content.size === 0 ? {} : { content: [...content].sort() }),
      token: boundaryToken(texts, `${question.id}/${judge.name}/${rotation}`),
    },
  }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
