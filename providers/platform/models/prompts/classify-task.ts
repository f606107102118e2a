import { z } from 'zod'
import type { ChatMessage } from '../../../../contract/http/chat.ts'
import type { Prompt } from '../../../../contract/prompts.ts'
import { BlockReader, groupBlock, textBlock } from './blocks.ts'
import { parseJsonReply } from './json-reply.ts'
import type { JsonReply } from './json-reply.ts'
import { taskData, taskMessages } from './task-messages.ts'
import type { TaskMessages } from './task-messages.ts'

/** A way to answer a question, with a description of the questions it suits. */
export type Route = { name: string; description: string }

/** Choose the route that suits a question. The reply is JSON: `{ route, reason }`. */
export type ClassifyTask = { question: string; routes: Route[] }

export type RouteChoice = { route: string; reason: string }

export const ROUTE_PROMPT: Prompt = {
  name: 'route',
  version: 2,
  source: 'this project; a prompted router, not the trained classifier of Adaptive-RAG (arXiv 2403.14403)',
  instructions: [
    'Choose the one route of the <route> blocks that suits the question in <question> best, by the descriptions.',
    'Think of how many separate facts must be joined, whether exact names or codes must be found, and whether the question',
    'is about how things are related. Do not answer the question.',
    'Reply with one JSON object and nothing else: {"route": "<name of a route>", "reason": "<one short sentence>"}',
  ],
}

/** A classify task as chat messages for any chat model. */
export function renderClassifyTask(task: ClassifyTask): TaskMessages {
  const routes = task.routes.map((route) =>
    groupBlock('route', [textBlock('name', route.name), textBlock('description', route.description)]),
  )
  return taskMessages(ROUTE_PROMPT, [...routes, textBlock('question', task.question)])
}

const readRoute = (reader: BlockReader): Route | null => {
  const name = reader.text('name')
  const description = reader.text('description')
  return name === null || description === null ? null : { name, description }
}

/** The task of rendered messages; null when they are anything else. */
export function parseClassifyTask(messages: readonly ChatMessage[]): ClassifyTask | null {
  const data = taskData(messages)
  if (data === null) return null
  const reader = new BlockReader(data)
  const routes = reader.groups('route', readRoute)
  const question = reader.text('question')
  return routes === null || routes.length === 0 || question === null || !reader.done() ? null : { question, routes }
}

/** The model's choice; `wrong_shape` when it names none of the routes. */
export function parseClassifyReply(reply: string, routes: readonly Route[]): JsonReply<RouteChoice> {
  const names = new Map(routes.map((route) => [route.name.trim().toLowerCase(), route.name]))
  const shape = z.object({
    route: z
      .string()
      .transform((name) => names.get(name.trim().toLowerCase()))
      .refine((name) => name !== undefined, 'names none of the routes'),
    reason: z.string().default(''),
  })
  const parsed = parseJsonReply(reply, shape)
  if (!parsed.ok) return parsed
  return { ok: true, value: { route: parsed.value.route, reason: parsed.value.reason } }
}

/**
 * A reply to a classify task as a workflow reads it, which knows patterns alone: the choice that the reply settles on and nothing of the text around it. A
 * reply without a valid choice names no route, whatever it mentions. Null where the messages are no such task.
 */
export function strictChoice(messages: readonly ChatMessage[], reply: string): string | null {
  const task = parseClassifyTask(messages)
  if (task === null) return null
  const parsed = parseClassifyReply(reply, task.routes)
  return JSON.stringify(parsed.ok ? parsed.value : { route: null, reason: parsed.message })
}
