import { z } from 'zod'
import type { ChatMessage } from '../../../../contract/http/chat.ts'
import type { Prompt } from '../../../../contract/prompts.ts'
import { BlockReader, textBlock } from './blocks.ts'
import { parseJsonReply, usableItems } from './json-reply.ts'
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

/** `source` and `target` are names of entities; `keywords` name the kind of relation and its themes. */
export type ExtractedRelation = {
  source: string
  target: string
  keywords: string[]
  description: string
}

export type Extraction = { entities: ExtractedEntity[]; relations: ExtractedRelation[] }

/** An extraction as it was read: `dropped` counts entities and relations of the wrong shape. */
export type ReadExtraction = Extraction & { dropped: number }

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

/** Worked examples, about nothing that a dataset of this project asks for. */
const EXAMPLES: readonly { text: string; reply: Extraction }[] = [
  {
    text: 'Ada Brill built the Ternmouth lighthouse for the Harbour Board. She had it lit with colza oil, as Jon Feld advised her.',
    reply: {
      entities: [
        { name: 'Ada Brill', type: 'person', description: 'Ada Brill built the Ternmouth lighthouse.' },
        { name: 'Ternmouth lighthouse', type: 'facility', description: 'The lighthouse was lit with colza oil.' },
        { name: 'Harbour Board', type: 'organization', description: 'The Harbour Board had the lighthouse built.' },
        { name: 'Jon Feld', type: 'person', description: 'Jon Feld advised Ada Brill on the oil of the light.' },
      ],
      relations: [
        relation('Ada Brill', 'Ternmouth lighthouse', ['builder', 'construction'], 'Ada Brill built the lighthouse.'),
        relation('Harbour Board', 'Ternmouth lighthouse', ['client', 'construction'], 'It was built for the Board.'),
        relation('Jon Feld', 'Ada Brill', ['advice', 'lighting'], 'Jon Feld advised Ada Brill to use colza oil.'),
      ],
    },
  },
  {
    text: 'Rule 14 of the Skerry Pilots’ Code replaced Rule 9 after the wreck of the Marigold.',
    reply: {
      entities: [
        { name: 'Rule 14', type: 'law', description: 'Rule 14 is part of the Skerry Pilots’ Code.' },
        { name: 'Rule 9', type: 'law', description: 'Rule 9 was replaced.' },
        { name: 'Skerry Pilots’ Code', type: 'publication', description: 'The code holds rules for pilots.' },
        { name: 'Marigold', type: 'vessel', description: 'The Marigold was wrecked.' },
      ],
      relations: [
        relation('Rule 14', 'Rule 9', ['replacement', 'regulation'], 'Rule 14 replaced Rule 9.'),
        relation('Rule 14', 'Skerry Pilots’ Code', ['part of', 'regulation'], 'Rule 14 is a rule of the code.'),
        relation('Rule 14', 'Marigold', ['cause', 'accident'], 'The wreck of the Marigold led to Rule 14.'),
      ],
    },
  },
]

function relation(source: string, target: string, keywords: string[], description: string): ExtractedRelation {
  return { source, target, keywords, description }
}

export const extractPrompt = (types: readonly string[] = ENTITY_TYPES): Prompt => ({
  name: 'extract',
  version: 2,
  source:
    'LightRAG (arXiv 2410.05779): records, keywords of relations, examples, one further turn; JSON in place of delimited lines',
  instructions: [
    'Find the named entities of the text in <text> and the relations between them that the text states.',
    `- entities: name as the text spells it in full; type, one of: ${types.join(', ')}; description, one sentence from the text.`,
    '- relations: source and target, both names of entities that you list; keywords, one to three words for the kind of',
    '  relation and its theme; description, one sentence. A relation has no direction: list each pair once.',
    '- A statement about three or more entities gives one relation for each pair that it joins.',
    '- Replace pronouns and short names ("she", "the yard") by the full name of the entity.',
    '- List each entity once. Leave out dates, plain numbers and things without a name.',
    '- List the entities first, and the most important relations first.',
    'Reply with one JSON object and nothing else: {"entities": [{"name": "…", "type": "…", "description": "…"}], ' +
      '"relations": [{"source": "…", "target": "…", "keywords": ["…"], "description": "…"}]}',
    '',
    ...EXAMPLES.flatMap(({ text, reply }) => [
      'Example of a text:',
      text,
      'Example of the reply:',
      JSON.stringify(reply),
      '',
    ]),
  ].slice(0, -1),
})

/** An extract task as chat messages for any chat model. */
export function renderExtractTask(task: ExtractTask): TaskMessages {
  const { title, text, types } = task
  return taskMessages(extractPrompt(types), [
    textBlock('title', title),
    textBlock('text', text),
    ...(types === undefined ? [] : [textBlock('types', types.join('\n'))]),
  ])
}

/** The task of rendered messages; null when they are anything else. */
export function parseExtractTask(messages: readonly ChatMessage[]): ExtractTask | null {
  const data = taskData(messages)
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

const entityShape = z.object({
  name,
  type: z
    .string()
    .trim()
    .toLowerCase()
    .nullish()
    .transform((type) => type ?? 'concept'),
  description: z
    .string()
    .nullish()
    .transform((description) => description ?? ''),
})
const relationShape = z.object({
  source: name,
  target: name,
  keywords: keywords
    .nullish()
    .catch(null)
    .transform((words) => words ?? []),
  description: z
    .string()
    .nullish()
    .transform((description) => description ?? ''),
})

/** Both lists must be there: an object without them is another reply, not an empty one. */
const extractReply = z
  .object({ entities: z.array(z.unknown()), relations: z.array(z.unknown()) })
  .transform((reply): ReadExtraction => {
    const entities = usableItems(reply.entities, entityShape)
    const relations = usableItems(reply.relations, relationShape)
    const dropped = reply.entities.length + reply.relations.length - entities.length - relations.length
    return { entities, relations, dropped }
  })
  .refine(({ entities, dropped }) => entities.length > 0 || dropped === 0, {
    path: ['entities'],
    message: 'no entry has a name',
  })

/**
 * Bounds of a reply that is held to a schema: a small model that repeats itself would otherwise never close its lists. Both are LightRAG's since 2026-04:
 * 40 entities, 100 records in all.
 */
const MOST_ENTITIES = 40
const MOST_RELATIONS = 60
const text = (maxLength: number) => ({ type: 'string', minLength: 1, maxLength })
const listOf = (maxItems: number, properties: Record<string, object>) => ({
  type: 'array',
  maxItems,
  items: { type: 'object', properties, required: Object.keys(properties), additionalProperties: false },
})

/** The reply as JSON schema, for models that can be held to one; `parseExtractReply` reads more forms. */
export const extractReplySchema = (types: readonly string[] = ENTITY_TYPES): object => ({
  type: 'object',
  properties: {
    entities: listOf(MOST_ENTITIES, { name: text(80), type: { enum: types }, description: text(160) }),
    relations: listOf(MOST_RELATIONS, {
      source: text(80),
      target: text(80),
      keywords: { type: 'array', minItems: 1, maxItems: 5, items: text(40) },
      description: text(160),
    }),
  },
  required: ['entities', 'relations'],
  additionalProperties: false,
})

/** True when a list is as long as the schema allows: the model may have had more to name. */
export const isFull = ({ entities, relations }: Extraction): boolean =>
  entities.length >= MOST_ENTITIES || relations.length >= MOST_RELATIONS

/** Texts by which a stored extraction is known to come from this prompt. */
export const extractTexts = (types?: readonly string[]): unknown => [
  renderExtractTask({ title: '', text: '', types }),
  extractReplySchema(types),
  GLEANING,
]

/** Asks for what the first reply left out, in the same conversation. LightRAG asks once, for missed and malformed records alone. */
const GLEANING =
  'Some entities and relations of the text may be missing in that reply, or cannot be read. Send only those, in the same form and with nothing else; ' +
  'repeat nothing that is right already. When nothing is missing, send {"entities": [], "relations": []}.'

/** True when a conversation asks for what its first reply left out. */
export const isGleaning = (messages: readonly ChatMessage[]): boolean => messages.at(-1)?.content === GLEANING

/** The conversation of a task after its first reply, with the request for what is missing. */
export const renderGleaning = (task: readonly ChatMessage[], reply: Extraction): ChatMessage[] => [
  ...task,
  { role: 'assistant', content: JSON.stringify({ entities: reply.entities, relations: reply.relations }) },
  { role: 'user', content: GLEANING },
]

/** The model's extraction. Relations may name entities that it forgot to list: the caller decides what to do with them. */
export function parseExtractReply(reply: string): JsonReply<ReadExtraction> {
  return parseJsonReply(reply, extractReply)
}
