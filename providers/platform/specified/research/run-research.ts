import { NO_ANSWER } from '../../../../contract/prompts.ts'
import { z } from 'zod'
import { ModelCallError } from '../../models/model-host.ts'
import type { ModelHost } from '../../models/model-host.ts'
import { reasonOf } from '../../models/model-error-response.ts'
import { isNoAnswer, renderAnswerTask } from '../../models/prompts/answer-task.ts'
import { textBlock } from '../../models/prompts/blocks.ts'
import { askForJson } from '../../models/ask-for-json.ts'
import { parseJsonReply } from '../../models/prompts/json-reply.ts'
import { KEYWORDS_REPLY_SCHEMA, parseKeywordsReply, renderKeywordsTask } from '../../models/prompts/keywords-task.ts'
import type { Prompt } from '../../../../contract/prompts.ts'
import { taskMessages } from '../../models/prompts/task-messages.ts'
import { withoutThinking } from '../../../../core/thinking.ts'
import { askWithThoseThatFit } from '../../rag/steps/fit-context.ts'
import { RetryableTaskError } from '../../jobs/task-worker.ts'
import type { TaskHandler } from '../../jobs/task-worker.ts'
import { ResearchError, WebSearchUnavailableError } from './sources.ts'
import type { Passage, Search } from './sources.ts'

export const RESEARCH = 'research'

/** Describes what a research session is for. */
export const ResearchTask = z.object({
  query: z.string(),
  max_loops: z.number(),
  search_api: z.literal('searxng').nullable(),
})
export type ResearchTask = z.infer<typeof ResearchTask>

/** A source that the report cites as `[number]`. */
export interface ResearchSource {
  number: number
  title: string
  /** Null for a page. */
  document: { collection: string; name: string; start_char: number; end_char: number } | null
  /** Null for a document. */
  url: string | null
  text: string
}

export interface ResearchResult {
  query: string
  /** The answer to the question, without source numbers. */
  answer: string
  /** False when nothing that was found answers the question. */
  is_answered: boolean
  /** Markdown with source numbers and the list of sources. */
  report: string
  findings: { query: string; answer: string; sources: number[] }[]
  sources: ResearchSource[]
}

export interface ResearchDeps {
  models: Pick<ModelHost, 'chat' | 'isBuiltin'>
  corpora: Search
  /** Null without a search server. */
  web: Search | null
}

const PLAN_PROMPT: Prompt = {
  name: 'research plan',
  version: 2,
  source: 'this project',
  instructions: [
    'Write the search queries whose results together answer the question in <question>.',
    '- One query for each thing that has to be known; short, in the words that a document about it would use.',
    '- Do not answer the question and add no facts.',
    'Reply with one JSON object and nothing else: {"queries": ["…"]}',
  ],
}
const Plan = z.object({ queries: z.array(z.string().trim().min(1).max(400)).max(20) })
const PLAN_SCHEMA = {
  type: 'object',
  properties: { queries: { type: 'array', maxItems: 10, items: { type: 'string', minLength: 1, maxLength: 400 } } },
  required: ['queries'],
  additionalProperties: false,
}
/** Passages that the final answer reads at most. */
const MOST_PASSAGES = 12

/**
 * One research session: plan queries, search each, read what was found, write the answer with its sources. Each loop searches one query; the
 * first is the question itself. It stores nothing before its end, so a session whose process dies is done again from its start.
 */
export function research({ models, corpora, web }: ResearchDeps): TaskHandler {
  return async ({ task, signal, log }) => {
    const { query, max_loops: loops, search_api: api } = ResearchTask.parse(task.payload)
    try {
      return { result: await run(query, loops, api) }
    } catch (error) {
      if (error instanceof WebSearchUnavailableError) throw new RetryableTaskError(error.message, { cause: error })
      if (!(error instanceof ModelCallError)) throw error
      const isPassing = error.code === 'rate_limited' || error.code === 'timeout' || error.code === 'unreachable'
      throw new (isPassing ? RetryableTaskError : ResearchError)(reasonOf(error), { cause: error })
    }

    async function run(question: string, maxLoops: number, searchApi: 'searxng' | null): Promise<ResearchResult> {
      const queries = maxLoops === 1 ? [question] : await plan(question, maxLoops)
      log(`Plan: ${queries.length} ${queries.length === 1 ? 'query' : 'queries'}`)
      const read = new Map<string, Passage>()
      const findings: { query: string; answer: string; passages: readonly Passage[] }[] = []
      for (const [index, each] of queries.entries()) {
        signal.throwIfAborted()
        const found = await corpora(each, signal)
        if (searchApi !== null && web !== null) found.push(...(await web(each, signal)))
        const added = found.filter(({ key }) => !read.has(key))
        for (const passage of added) read.set(passage.key, passage)
        log(
          `Loop ${index + 1} of ${queries.length}: ${found.length} passages for “${each}”, ${added.length} of them new`,
        )
        if (found.length === 0) continue
        const { answer, passages } = await answerFrom(each, found)
        if (!isNoAnswer(answer)) findings.push({ query: each, answer, passages })
      }
      if (read.size === 0)
        throw new ResearchError(
          web === null
            ? 'Nothing was found: ingest a corpus with the current embedding model, or set SEARXNG_URL'
            : 'Nothing was found in the ingested corpora and by the web search',
        )
      const cited = findings.flatMap(({ passages }) => passages)
      // A passage that answered a query comes first; without a finding the answer reads whatever was found.
      const material = [...new Set([...cited, ...read.values()])]
        .filter(({ key }, index, all) => all.findIndex((other) => other.key === key) === index)
        .slice(0, MOST_PASSAGES)
      log(`Writing from ${material.length} passages`)
      const [first] = findings
      const isSame = findings.length === 1 && first!.query === question && material.length === first!.passages.length
      const { answer, passages } = isSame ? first! : await answerFrom(question, material)
      return written(question, answer, findings, passages)
    }

    /** At most `most` queries, without repetitions. The built-in model has no such skill: its keywords are the second query. */
    async function plan(question: string, most: number): Promise<string[]> {
      const queries = models.isBuiltin('agentic') ? [await keywords(question)] : await planned(question)
      const distinct: string[] = [question]
      for (const each of queries)
        if (each !== '' && distinct.every((other) => other.toLowerCase() !== each.toLowerCase())) distinct.push(each)
      return distinct.slice(0, most)
    }

    async function planned(question: string): Promise<string[]> {
      const messages = taskMessages(PLAN_PROMPT, [textBlock('question', question)])
      const asked = { messages, temperature: 0, reply_schema: PLAN_SCHEMA }
      const reply = await askForJson(models, 'agentic', asked, (text) => parseJsonReply(text, Plan), signal)
      if (reply.ok) return reply.value.queries
      log(`The plan cannot be read (${reply.message}): keywords are searched in its place`)
      return [await keywords(question)]
    }

    async function keywords(question: string): Promise<string> {
      const asked = { messages: renderKeywordsTask({ question }), temperature: 0, reply_schema: KEYWORDS_REPLY_SCHEMA }
      const reply = await askForJson(models, 'graph_keyword', asked, parseKeywordsReply, signal)
      return reply.ok ? [...reply.value.low_level, ...reply.value.high_level].join(' ').slice(0, 400) : ''
    }

    /** The answer from those passages that fit into the context of the model, and these. */
    function answerFrom(
      question: string,
      found: readonly Passage[],
    ): Promise<{ answer: string; passages: readonly Passage[] }> {
      return askWithThoseThatFit(found, async (passages) => {
        const asked = { messages: renderAnswerTask({ question, passages: [...passages] }), temperature: 0 }
        const completion = await models.chat('light_gen', asked, signal)
        const answer = withoutThinking(completion.choices[0]?.message.content ?? '')
        return { answer: answer === '' ? NO_ANSWER : answer, passages }
      })
    }
  }
}

function written(
  query: string,
  answer: string,
  found: readonly { query: string; answer: string; passages: readonly Passage[] }[],
  material: readonly Passage[],
): ResearchResult {
  const passages = new Map(
    [...material, ...found.flatMap((finding) => finding.passages)].map((each) => [each.key, each]),
  )
  const numbers = new Map([...passages.keys()].map((key, index) => [key, index + 1]))
  const findings = found.map((finding) => ({
    query: finding.query,
    answer: finding.answer,
    sources: finding.passages.map(({ key }) => numbers.get(key)!),
  }))
  const sources = [...passages.values()].map(({ key, title, text, document, url }): ResearchSource => ({
    number: numbers.get(key)!,
    title,
    document:
      document === null
        ? null
        : {
            collection: document.collection,
            name: document.name,
            start_char: document.startChar,
            end_char: document.endChar,
          },
    url,
    text,
  }))
  const cite = (list: readonly number[]): string => list.map((number) => `[${number}]`).join('')
  const report = [
    `# ${query.replaceAll(/\s+/g, ' ')}`,
    `${answer} ${cite(material.map(({ key }) => numbers.get(key)!))}`,
    ...findings.map(
      (finding) => `## ${finding.query.replaceAll(/\s+/g, ' ')}\n\n${finding.answer} ${cite(finding.sources)}`,
    ),
    `## Sources\n\n${sources.map(({ number, title, url, document }) => `${number}. ${title} (${url ?? document?.name ?? ''})`).join('\n')}`,
  ].join('\n\n')
  return { query, answer, is_answered: !isNoAnswer(answer), report: `${report}\n`, findings, sources }
}
