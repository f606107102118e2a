import { z } from 'zod'
import type { ChatMessage } from '../../../../contract/http/chat.ts'
import { BlockReader, textBlock } from './blocks.ts'
import { parseJsonReply } from './json-reply.ts'
import type { JsonReply } from './json-reply.ts'
import { taskData, taskMessages } from './task-messages.ts'
import type { TaskMessages } from './task-messages.ts'

/** Find the entities and relations of a text. The reply is JSON: `{ entities, relations }`. */
export type ExtractTask = {
  title: string
  text: string
  /** The types to look for; `ENTITY_TYPES` unless given. */
  types?: readonly string[]
}

export type ExtractedEntity = { name: string; type: string; description: string }

/** `source` and `target` are names of entities. `weight`: how strongly the text states the relation, 0 to 10. */
export type ExtractedRelation = {
  source: string
  target: string
  keywords: string[]
  description: string
  weight: number
}

export type Extraction = { entities: ExtractedEntity[]; relations: ExtractedRelation[] }

/** The types that the prompt suggests where a profile names none; a model may use others. */
export const ENTITY_TYPES = [
  'person',
  'organization',
  'group',
  'place',
  'facility',
  'vessel',
  'project',
  'event',
  'agreement',
  'publication',
  'artifact',
  'product',
  'software',
  'technique',
  'law',
  'condition',
  'substance',
  'identifier',
  'concept',
] as const
export type EntityType = (typeof ENTITY_TYPES)[number]

const MARK = 'Task: extract entities and relations (v1)'

const instructions = (types: readonly string[]): string[] => [
  'Find the named entities of the text in <text> and the relations between them that the text states.',
  `- entities: name as the text spells it in full; type, one of: ${types.join(', ')}; description, one sentence from the text.`,
  '- relations: source and target, both names of entities that you list; keywords, one to three words for the kind of',
  '  relation; description, one sentence; weight from 1 (hinted) to 10 (stated outright).',
  '- Resolve pronouns and short names ("she", "the yard") to the full name of the entity.',
  '- List each entity once. Leave out dates, plain numbers and things without a name.',
  'Reply with one JSON object and nothing else: {"entities": [{"name": "…", "type": "…", "description": "…"}], ' +
    '"relations": [{"source": "…", "target": "…", "keywords": ["…"], "description": "…", "weight": 5}]}',
]

/** An extract task as chat messages for any chat model. */
export function renderExtractTask(task: ExtractTask): TaskMessages {
  const { title, text, types } = task
  return taskMessages(MARK, instructions(types ?? ENTITY_TYPES), [
    textBlock('title', title),
    textBlock('text', text),
    ...(types === undefined ? [] : [textBlock('types', types.join('\n'))]),
  ])
}

/** The task of rendered messages; null when they are anything else. */
export function parseExtractTask(messages: readonly ChatMessage[]): ExtractTask | null {
  const data = taskData(MARK, messages)
  if (data === null) return null
  const reader = new BlockReader(data)
  const title = reader.text('title')
  const text = reader.text('text')
  if (title === null || text === null) return null
  const types = reader.text('types')
  if (!reader.done()) return null
  return types === null ? { title, text } : { title, text, types: types.split('\n') }
}

const name = z.string().trim().min(1)

const keywords = z
  .union([z.array(z.string()), z.string().transform((list) => list.split(','))])
  .transform((words) => words.map((word) => word.trim()).filter((word) => word !== ''))

const extractReply = z.object({
  entities: z
    .array(
      z.object({ name, type: z.string().trim().toLowerCase().default('concept'), description: z.string().default('') }),
    )
    .default([]),
  relations: z
    .array(
      z.object({
        source: name,
        target: name,
        keywords: keywords.default([]),
        description: z.string().default(''),
        weight: z.coerce.number().min(0).max(10).catch(1).default(1),
      }),
    )
    .default([]),
})

/** Bounds of a reply that is held to a schema: a small model that repeats itself would otherwise never close its lists. */
const MOST_LISTED = 16
const text = (maxLength: number) => ({ type: 'string', minLength: 1, maxLength })
const listOf = (properties: Record<string, object>) => ({
  type: 'array',
  maxItems: MOST_LISTED,
  items: { type: 'object', properties, required: Object.keys(properties), additionalProperties: false },
})

/** The reply as JSON schema, for models that can be held to one; `parseExtractReply` reads more forms. */
export const extractReplySchema = (types: readonly string[] = ENTITY_TYPES): object => ({
  type: 'object',
  properties: {
    entities: listOf({ name: text(80), type: { enum: types }, description: text(160) }),
    relations: listOf({ source: text(80), target: text(80), description: text(160) }),
  },
  required: ['entities', 'relations'],
  additionalProperties: false,
})

/** The model's extraction. Relations may name entities that it forgot to list: the caller decides what to do with them. */
export function parseExtractReply(reply: string): JsonReply<Extraction> {
  return parseJsonReply(reply, extractReply)
}
