import { hash } from 'node:crypto'
import { expect, it } from 'vitest'
import { ROUTING } from '../../contract/routing.ts'
import { citedNumbers } from '../../core/citations.ts'
import { repeatsPrompt } from '../../core/repeated-prompt.ts'
import { refusedByRule } from '../../core/refused-by-rule.ts'
import { createChatCritic } from '../../providers/platform/evaluator/critics/chat-critic.ts'
import { askForJson } from '../../providers/platform/models/ask-for-json.ts'
import { withoutThinking } from '../../core/thinking.ts'
import { parseClassifyReply } from '../../providers/platform/models/prompts/classify-task.ts'
import { parseKeywordsReply } from '../../providers/platform/models/prompts/keywords-task.ts'
import { textWithTools, withWrittenCalls } from '../../providers/platform/models/text-tools.ts'
import { prepareCall, toolDefinitions } from '../../providers/platform/rag/agent/tools.ts'
import { fakeModelHost } from '../helpers/fake-model-host.ts'
import { publishedRows, realTasks, type RealTask } from '../helpers/real-replies.ts'

// States what the product makes of replies that a language model of 135 million parameters wrote. The suite needs no model.

const PARAMETERS = { max_steps: 6, vector_top_k: 5, max_contexts: 8, graph_mode: 'hybrid' } as const
const ROUTES = ROUTING.map(({ route }) => ({ name: route, description: '' }))
const ANSWER = { cited: [], refused: false, repeated: false }
const NO_JSON = { ok: false, code: 'no_json', message: 'the reply holds no JSON object' }
const keywords = (high: string[], low: string[]) => ({ ok: true, value: { high_level: high, low_level: low } })
const YEARS = ['1990', '1991', '1992', '1993', '1994', '1995', '1996', '1997']
const OPENED = 'The Tidewater Quay was opened in 1904, and the gates were opened in 1904.'
const HELD = 'The head of the charity that maintains the Tidewater lock held the job of the head of the Quay Trust.'
const NO_MORE = 'no reply is left'
const ASKED_AGAIN = 'asked again'
/** Counts statements that the critic was given. */
const STATEMENTS: Record<string, number> = { 'sm-01 vanilla-rag 6': 2, 'sm-03 agentic-rag 10 11': 4 }

const OUTCOMES: Record<string, unknown> = {
  'sm-01 lazy-graph-rag 4': ANSWER,
  'sm-01 graph-rag 7': ANSWER,
  // "The passage is not providing a detailed answer to the question."
  'bc-30 contextual-rag 4': { ...ANSWER, refused: true },
  // Blocks of the prompt and nothing else.
  'bc-11 lazy-graph-rag 4': { ...ANSWER, repeated: true },
  // A rule of the prompt.
  'ct-20 vanilla-rag 3': ANSWER,
  'sm-01 agentic-rag 1': { answer: '2018' },
  'sm-02 agentic-rag 1': { search: { query: 'TQ-181', top_k: 20 } },
  'bc-11 agentic-rag 1': { search: { query: 'PX-202D', top_k: 6 } },
  'bc-11 agentic-rag 6': { answer: '' },
  'ct-86 agentic-rag 1': { search: { query: '&lt;Question&gt;', top_k: 10 } },
  'sm-01 workflow-adaptive-rag 3': NO_JSON,
  'bc-20 workflow-adaptive-rag 3': NO_JSON,
  // A route named in prose.
  'gn-48 workflow-adaptive-rag 3': NO_JSON,
  'sm-01 graph-rag 2': keywords([], []),
  'sm-04 graph-rag 2 3': keywords(['Quay Trust', '2022'], ['2022']),
  'bc-20 graph-rag 2': keywords(['A Tarnflow 200M keeps reporting E-4471 even after the 100% 1'], []),
  // The example of the prompt.
  'gn-01 graph-rag 2': keywords([], []),
  'ct-11 graph-rag 2': keywords([], []),
  // Complete JSON, although generation ended at the limit.
  'ct-30 graph-rag 2': keywords(YEARS, YEARS),
  'sm-01 vanilla-rag 5': [OPENED, OPENED],
  // Verdicts of the example in the prompt, in one reply and in both.
  'sm-01 vanilla-rag 6': ASKED_AGAIN,
  'sm-01 lazy-graph-rag 8 9': false,
  'sm-03 agentic-rag 8 9': [HELD, HELD, HELD, HELD],
  'sm-03 agentic-rag 10 11': 'CriticShapeError',
  'sm-03 vanilla-rag 5 6': 'CriticCutError',
}

async function outcomeOf({ key, prompt, replies }: RealTask): Promise<unknown> {
  const { message } = replies[0]!.response.choices[0]!
  const text = message.content ?? ''
  const left = replies.map(({ response }) => response)
  const host = { ...fakeModelHost(), chat: async () => left.shift() ?? Promise.reject(new Error(NO_MORE)) }
  const critic = createChatCritic(host, 'evaluator')
  switch (prompt) {
    case 'answer': {
      const answer = withoutThinking(text)
      return { cited: citedNumbers(answer), refused: refusedByRule(answer), repeated: repeatsPrompt(answer, '') }
    }
    case 'agent': {
      const [call] = message.tool_calls ?? []
      if (call === undefined) return { answer: withoutThinking(text) }
      const move = prepareCall(call, PARAMETERS, null as never)
      return move.ok ? { search: move.arguments } : { problem: move.problem }
    }
    case 'route':
      return parseClassifyReply(text, ROUTES)
    case 'keywords':
      return askForJson(host, 'graph_keyword', { messages: [] }, parseKeywordsReply)
    case 'refusal':
      return critic.judgeRefusal!('', '')
    case 'statements':
      return critic.splitStatements('', '').catch((error: unknown) => (error as Error).name)
    default: {
      const statements = Array.from({ length: STATEMENTS[key]! }, (_, number) => `statement ${number}`)
      return critic
        .judgeStatements(statements, [])
        .then((verdicts) => verdicts.map(({ verdict, reason }) => [verdict, reason]))
        .catch((error: unknown) => {
          const { name, message } = error as Error
          return message === NO_MORE ? ASKED_AGAIN : name
        })
    }
  }
}

it.each(realTasks())('the reply $key of a real model is read as stated, for the prompt $prompt', async (task) => {
  expect(await outcomeOf(task)).toEqual(OUTCOMES[task.key])
})

it('recorded replies have the digests and answers of the published rows', async () => {
  for (const [dataset, tasks] of Map.groupBy(realTasks(), (task) => task.dataset)) {
    const rows = await publishedRows(dataset)
    for (const { key, prompt, row_id: id, replies } of tasks) {
      const { trace, evidence } = rows.find((row) => row.row_id === id)!
      const stated = replies.map(({ step }) => trace!.steps[step]!.response!.sha256)
      expect(
        replies.map(({ response }) => hash('sha256', JSON.stringify(response))),
        key,
      ).toEqual(stated)
      if (prompt === 'answer') expect(evidence!.answer).toBe(replies[0]!.response.choices[0]!.message.content)
    }
  }
})

it('a recorded call of a tool is read from text as well, and no other reply is a call', () => {
  for (const { response } of realTasks().flatMap(({ replies }) => replies)) {
    const { message, ...choice } = response.choices[0]!
    const written = { role: 'assistant' as const, content: textWithTools(message, []) }
    const read = withWrittenCalls(
      { ...response, choices: [{ ...choice, message: written }] },
      toolDefinitions(PARAMETERS),
    )
    const calls = [message, read.choices[0]!.message].map((one) => one.tool_calls?.map((call) => call.function))
    expect(calls[1]).toEqual(calls[0])
  }
})
