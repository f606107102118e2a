import { createHash } from 'node:crypto'
import type { JudgedAnswer, PromptLeak } from '../../contract/index.ts'
import { answerOrder, letterAt } from './answer-order.ts'
import { shownAnswer, type ShownAnswer } from './answer-text.ts'
import type { JudgeClient, JudgeTask } from './judge-client.ts'
import { boundaryToken } from './judge-prompt.ts'
import type { LeakScan } from './leak-scan.ts'
import type { PanelQuestion } from './panel-input.ts'

/** A question whose answers are ready to be shown. */
export interface BlindedQuestion {
  question: PanelQuestion
  shown: ReadonlyMap<string, ShownAnswer>
  /** Empty when the texts tell nothing. */
  leaks: PromptLeak[]
}

/** Caps and neutralises the answers of a question and looks for leaks in every text that a judge would read. */
export function blindQuestion(question: PanelQuestion, scan: LeakScan, showsReference: boolean): BlindedQuestion {
  const shown = new Map(question.answers.map(({ model, answer }) => [model, shownAnswer(answer)]))
  const texts: [string, string][] = [
    ['question', question.query],
    ...(showsReference && question.groundTruth !== null
      ? [['reference', question.groundTruth] as [string, string]]
      : []),
    ...Array.from(shown, ([model, { text }]): [string, string] => [model, text]),
  ]
  const leaks = texts.flatMap(([found_in, text]) => scan(text).map((leak) => ({ ...leak, found_in })))
  return { question, shown, leaks }
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
  { question, shown }: BlindedQuestion,
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
      token: boundaryToken(texts, `${question.id}/${judge.name}/${rotation}`),
    },
  }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
