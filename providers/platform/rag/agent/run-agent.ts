import { tokensOfTexts } from '../../../../contract/evidence/context-budget.ts'
import { firstTokens } from '../../../../contract/evidence/count-tokens.ts'
import type { RagExtension } from '../../../../contract/evidence/rag-extension.ts'
import type { ChatMessage, ToolCall } from '../../../../contract/http/chat.ts'
import { HttpError } from '../../../kit/http-error.ts'
import { isTooLong, ModelCallError } from '../../models/model-host.ts'
import type { OnText } from '../../models/model-host.ts'
import { renderAgentTask, renderObservation } from '../../models/prompts/agent-task.ts'
import { renderAnswerTask } from '../../models/prompts/answer-task.ts'
import type { ApproachAnswer, ApproachServices } from '../approach.ts'
import { step as traced } from '../../trace/trace.ts'
import { askWithThoseThatFit } from '../steps/fit-context.ts'
import { modelFailure, RagError, rerankFailure } from '../rag-error.ts'
import { withoutThinking } from '../../../../core/thinking.ts'
import { chooseContexts, createNotebook, fillFromFound, sourcesOfPassages, type ChosenPassage } from './notebook.ts'
import { prepareCall, toolDefinitions, vectorSearch } from './tools.ts'
import type { AgentParameters, PreparedCall } from './tools.ts'

/** One tool call as `rag_extension.trajectory` reports it. */
export interface TrajectoryStep {
  /** Number of the agent's reply that asked for it, from 1. */
  step: number
  tool: string
  arguments: unknown
  /** Null when nothing was run. */
  result: { passages: number; new_passages: number; entities: number; relations: number } | null
  error: string | null
  seconds: number
}

const CALLS_PER_STEP = 4
/** Replies in a row that bring nothing new before the agent has to answer. */
const IDLE_STEPS = 2
/** Sets what the agent reads at most; its answer is given `max_contexts` of them. */
const MOST_PASSAGES = 50
const MOST_FACTS = 60

/**
 * Lets a model search by tool calls until it answers, within a fixed number of its replies. The last reply, and the one after it turned
 * in circles or was empty, is asked for without tools, from what was found. Throws when the model fails, and when no tool ever worked.
 */
export async function runAgent(
  question: string,
  parameters: AgentParameters,
  services: ApproachServices,
  signal?: AbortSignal,
): Promise<ApproachAnswer> {
  const session = createSession(question, parameters, services)
  const messages: ChatMessage[] = renderAgentTask(
    { question, turns: parameters.max_steps },
    { ...services.promptChanges, prompt: parameters.agent_prompt },
  )
  const tools = toolDefinitions(parameters)
  const finalAnswer = async (contexts: readonly ChosenPassage[], facts: readonly string[]): Promise<ApproachAnswer> => {
    const texts = session.textsOf(contexts, facts)
    const task = renderAnswerTask({ question, passages: texts }, services.promptChanges)
    const answer = withoutThinking((await reply(services, { messages: task }, signal, services.onText)).content)
    if (answer === '') throw new RagError('model_answer_invalid', 'the agent gave no answer')
    return session.finish(answer, contexts, tokensOfTexts(texts.map(({ text }) => text)))
  }
  let idle = 0
  for (let step = 1; step < parameters.max_steps && idle < IDLE_STEPS; step += 1) {
    const next = await reply(services, { messages, tools }, signal).catch((error: unknown) => {
      // The findings do not fit with the whole conversation; without it, the best of it does.
      if (step > 1 && isTooLong(error)) return null
      throw error
    })
    if (next === null) break
    const { content, calls } = next
    if (calls.length === 0) {
      const answer = withoutThinking(content)
      // The agent may have read more than a budget holds: then the answer is written again, from the passages that the budget holds.
      if (answer !== '' && services.contextBudget === null)
        return session.finish(answer, await session.choose(answer, signal), session.tokensRead())
      break
    }
    messages.push({ role: 'assistant', content, tool_calls: calls })
    let useful = false
    for (const [at, call] of calls.entries()) {
      const outcome = await traced(
        { kind: 'tool', name: call.function.name, request: () => call.function.arguments },
        () => session.carryOut(call, step, at, signal),
        ({ content: found, problem }) => ({ response: found, error: problem }),
      )
      useful ||= outcome.useful
      messages.push({ role: 'tool', tool_call_id: call.id, content: outcome.content })
    }
    idle = useful ? 0 : idle + 1
  }
  const contexts = await session.choose(null, signal)
  if (contexts.length > 0) return askWithThoseThatFit(contexts, (fitting) => finalAnswer(fitting, []))
  return askWithThoseThatFit(session.facts(), (fitting) => finalAnswer([], fitting))
}

async function reply(
  { models }: ApproachServices,
  request: { messages: ChatMessage[]; tools?: ReturnType<typeof toolDefinitions> },
  signal: AbortSignal | undefined,
  onText?: OnText,
): Promise<{ content: string; calls: ToolCall[] }> {
  const completion = await models.chat('agentic', { ...request, temperature: 0 }, signal, onText)
  const message = completion.choices[0]?.message
  // Some services leave ids out, and every answer to a call has to name one.
  const calls = (message?.tool_calls ?? []).map((call, at) => ({
    ...call,
    id: call.id === '' ? `call-${request.messages.length}-${at}` : call.id,
  }))
  return { content: message?.content ?? '', calls }
}

/** Returns what a tool fails with where a model or the reranker failed it; anything else as it is. */
function asRagError(error: unknown): unknown {
  if (error instanceof ModelCallError) return modelFailure(error)
  return error instanceof HttpError && !(error instanceof RagError) ? rerankFailure(error) : error
}

/** Keeps what one request has found, asked and failed at. */
function createSession(question: string, parameters: AgentParameters, services: ApproachServices) {
  const notebook = createNotebook(MOST_PASSAGES)
  const facts = new Set<string>()
  const asked = new Set<string>()
  const searches: string[] = []
  const trajectory: TrajectoryStep[] = []
  let failure: RagError | null = null
  let worked = false

  async function run(call: Extract<PreparedCall, { ok: true }>, signal: AbortSignal | undefined) {
    const { passages, entities, relations, facts: stated } = await call.run(signal)
    worked = true
    const { added, repeated, refused } = notebook.add(passages)
    const fresh = stated.filter((fact) => !facts.has(fact)).slice(0, MOST_FACTS - facts.size)
    for (const fact of fresh) facts.add(fact)
    const found = added.length + repeated.length + refused + fresh.length > 0
    const note = refused > 0 ? 'No further passages can be taken in: answer now.' : found ? null : 'Nothing was found.'
    return {
      content: renderObservation({ passages: added, repeated, facts: fresh, note }),
      useful: added.length + fresh.length > 0,
      result: { passages: passages.length, new_passages: added.length, entities, relations },
    }
  }

  return {
    /** Runs a call, or returns why not; never throws for what a tool or its arguments did. */
    async carryOut(call: ToolCall, step: number, at: number, signal: AbortSignal | undefined) {
      const started = performance.now()
      const prepared = prepareCall(call, parameters, services)
      const note = (error: string | null, result: TrajectoryStep['result'] = null) => {
        const { tool, arguments: given } = prepared
        trajectory.push({ step, tool, arguments: given, result, error, seconds: (performance.now() - started) / 1000 })
      }
      const refuse = (problem: string) => {
        note(problem)
        const content = renderObservation({ passages: [], repeated: [], facts: [], note: problem })
        return { useful: false, content, problem }
      }
      if (!prepared.ok) return refuse(prepared.problem)
      if (at >= CALLS_PER_STEP) return refuse(`Only ${CALLS_PER_STEP} calls at a time: this one was not run.`)
      const key = JSON.stringify([prepared.tool, prepared.arguments]).toLowerCase()
      if (asked.has(key)) return refuse('This call was made before: its result stands above.')
      asked.add(key)
      searches.push(prepared.query)
      try {
        const { content, useful, result } = await run(prepared, signal)
        note(null, result)
        return { content, useful, problem: undefined }
      } catch (error) {
        signal?.throwIfAborted()
        const known = asRagError(error)
        if (!(known instanceof RagError)) throw known
        failure ??= known
        return refuse(`The tool failed: ${known.message}`)
      }
    },

    /** The contexts out of what was found. Throws when no tool ever worked. */
    async choose(answer: string | null, signal: AbortSignal | undefined): Promise<ChosenPassage[]> {
      if (!worked && failure !== null) throw failure
      const { contextBudget } = services
      if (contextBudget !== null)
        return fillFromFound(
          notebook.passages(),
          contextBudget,
          { question, searches },
          async (limit) => (await vectorSearch({ query: question, top_k: limit }, services, signal)).passages,
          services,
          signal,
        )
      const choice = { question, searches, most: parameters.max_contexts, answer }
      return chooseContexts(notebook.passages(), choice, services, signal)
    },

    facts: (): string[] => [...facts],

    /** Returns what an answer is written from: its contexts, or what the graph states where there are none. */
    textsOf(contexts: readonly ChosenPassage[], stated: readonly string[]): { title: string; text: string }[] {
      if (contexts.length > 0 || stated.length === 0) return contexts.map(({ title, text }) => ({ title, text }))
      const text = stated.join('\n')
      const { contextBudget } = services
      return [{ title: 'Knowledge graph', text: contextBudget === null ? text : firstTokens(text, contextBudget) }]
    },

    /** Of everything that the tools returned. */
    tokensRead: (): number => tokensOfTexts([...notebook.passages().map(({ text }) => text), ...facts]),

    finish(answer: string, contexts: readonly ChosenPassage[], contextTokens: number): ApproachAnswer {
      const sources = sourcesOfPassages(contexts)
      const metadata = { trajectory: trajectory as unknown as NonNullable<RagExtension['trajectory']> }
      return { answer, sources, chunks: sources.length, contextTokens, metadata }
    },
  }
}
