// A model as a judge: it grades a right and a wrong answer to one question twice, in both orders, with the prompt of the panel. As in the panel, a reply that
// cannot be read gets a second request that names the fault.
import type { ModelRecord } from '../../../../contract/manifests/model-record.ts'
import type { ChatMessage } from '../../../../contract/http/chat.ts'
import type { JudgeSettings } from '../../../../contract/control/models.ts'
import { judgeMessages } from '../../../../core/judging/judge-prompt.ts'
import type { JudgeTask, LetterVerdict } from '../../../../core/judging/judge-task.ts'
import { parseVerdict } from '../../../../core/judging/parse-verdict.ts'
import type { ModelHost, RoleChatRequest } from '../../models/model-host.ts'

const TASK = {
  question: 'In which year was the Ternmouth lock opened?',
  reference: 'In 1904.',
  answerable: true,
  evidence: [],
  token: '5d1c0e9a7b42',
}
const RIGHT = 'The Ternmouth lock was opened in 1904.'
const WRONG = 'The Ternmouth lock was opened in 1931.'
const TRIES = 2

interface JudgeFinding {
  verdicts: NonNullable<ModelRecord['verdicts']>
  finding: string
  /** Names what the panel does instead of the model; empty where the model does all. */
  instead: string[]
}

/** Rates the verdicts of a model. `unusable` and `wrong` are findings of a judge that is to be replaced; only failed calls throw. */
export async function probeJudge(
  models: ModelHost,
  { temperature, think }: JudgeSettings,
  signal?: AbortSignal,
): Promise<JudgeFinding> {
  const request = { ...(temperature === null ? {} : { temperature }), ...(think === null ? {} : { think }) }
  const best: string[] = []
  let repaired = 0
  for (const texts of [
    [RIGHT, WRONG],
    [WRONG, RIGHT],
  ]) {
    const answers = texts.map((text, place) => ({ letter: 'AB'[place]!, text, answered: true }))
    const asked = await askForVerdict({ ...TASK, answers }, (messages) =>
      replyOf(models, { ...request, messages }, signal),
    )
    if ('problem' in asked)
      return { verdicts: 'unusable', finding: `no verdict can be read from its reply: ${asked.problem}`, instead: [] }
    repaired += asked.tries - 1
    best.push(preferred(asked.verdict) === 'A' ? texts[0]! : texts[1]!)
  }
  const instead =
    repaired === 0 ? [] : ['its first reply has not the form of a verdict, so a second request names the fault']
  const [one, other] = best
  if (one !== other)
    return {
      verdicts: 'by_place',
      finding: `it prefers the ${one === RIGHT ? 'first' : 'last'} answer in either order`,
      instead: [
        ...instead,
        'ask for as many rotations as there are approaches: each answer then has each place, and the effect of the place is reported',
      ],
    }
  if (one === WRONG)
    return {
      verdicts: 'wrong',
      finding: 'in both orders it prefers the answer that contradicts the reference',
      instead,
    }
  return { verdicts: 'kept', finding: 'prefers the right answer in both orders', instead }
}

/** Times that a passage of at least as many characters follows itself until the reply counts as endless. */
const REPEATS = 8
const [SHORTEST, LONGEST] = [32, 256]

function isEndless(text: string): boolean {
  for (let length = SHORTEST; length <= LONGEST && length * REPEATS <= text.length; length += 1)
    if (text.endsWith(text.slice(-length).repeat(REPEATS))) return true
  return false
}

/** A small model that repeats itself would go on until its time is over: its reply ends there, and holds no verdict. */
async function replyOf(models: ModelHost, request: RoleChatRequest, signal?: AbortSignal): Promise<string> {
  const endless = new AbortController()
  let text = ''
  try {
    const until = signal === undefined ? endless.signal : AbortSignal.any([signal, endless.signal])
    const { choices } = await models.chat('light_gen', request, until, (piece) => {
      text += piece
      if (isEndless(text)) endless.abort()
    })
    return choices[0]?.message.content ?? ''
  } catch (error) {
    if (endless.signal.aborted) return text
    throw error
  }
}

/** The letter with the higher grade; where grades are equal, the one that is named best. */
function preferred({ scores, best }: LetterVerdict): string {
  const [a, b] = [scores.get('A')!, scores.get('B')!]
  return a === b ? (best ?? 'A') : a > b ? 'A' : 'B'
}

async function askForVerdict(
  task: JudgeTask,
  ask: (messages: ChatMessage[]) => Promise<string>,
): Promise<{ verdict: LetterVerdict; tries: number } | { problem: string }> {
  let problem: string | null = null
  const letters = task.answers.map(({ letter }) => letter)
  for (let tries = 1; tries <= TRIES; tries += 1) {
    const parsed = parseVerdict(
      await ask(judgeMessages(task, problem).map((message) => ({ ...message }))),
      letters,
      task.token,
    )
    if (parsed.ok) return { verdict: parsed.verdict, tries }
    problem = parsed.problem
  }
  return { problem: problem! }
}
