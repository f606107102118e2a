// A person's own approach: a file `approaches/NAME.yaml` that names a service or a program and maps its replies. Decision 226.
import { z } from 'zod'
import { Identifier } from '../common.ts'
import { OWN_PRESETS, PresetName, ReplyChange, ReplyMapping, type Preset } from './own-presets.ts'

/** Folder of own approaches, relative to the project; the name of a file is the name of the approach. */
export const OWN_APPROACHES_FOLDER = 'approaches'

export const ownApproachFile = (name: string): string => `${OWN_APPROACHES_FOLDER}/${name}.yaml`

/** A variable of the environment whose value a header or a program gets: never one of this program's own credentials. */
const Variable = z
  .string()
  .regex(
    /^(?!BACKEND_|GATEWAY_|GRAPHENGINE_|RAG_LADDER_)[A-Z][A-Z0-9_]*$/,
    'expected the name of a variable, such as MY_API_KEY, that is none of this program',
  )

const PLACEHOLDER = /\$\{([^}]*)\}/g

/** Variables that a header names as `${NAME}`. */
export const variablesIn = (text: string): string[] => [...text.matchAll(PLACEHOLDER)].map(([, name]) => name!)

const Header = z
  .string()
  .max(4000)
  .refine((text) => variablesIn(text).every((name) => Variable.safeParse(name).success), 'expected ${NAME} of a key')

const Address = z
  .url('expected an address such as http://127.0.0.1:9621')
  .regex(/^https?:\/\/[^/?#@]+(?:[/?#]|$)/i, 'expected an http address without user name and password')

const common = {
  version: z.literal(1),
  /** Shown beside the name. */
  about: z.string().max(500).optional(),
  /** Version of the approach itself, as its author counts it; part of each row. */
  release: z.string().max(100).optional(),
  /** Values of `{{name}}` in the address and the body; a program gets them with each question. */
  settings: z.record(Identifier, z.union([z.string().max(4000), z.number(), z.boolean()])).default({}),
  /** For one answer. */
  timeout_s: z.number().min(1).max(3600).default(120),
}

const http = {
  preset: PresetName.optional(),
  /** With a preset the address of the server, else the whole address. */
  url: Address,
  headers: z.record(z.string().regex(/^[A-Za-z0-9-]+$/), Header).default({}),
  /** Sent as JSON; `{{question}}`, `{{uuid}}`, `{{budget}}`, `{{k}}` and the settings are filled in. Fields are added to those of the preset. */
  body: z.record(z.string(), z.json()).default({}),
  /** Replaces the mapping of the preset, field by field. */
  reply: ReplyChange.default({}),
}

const program = {
  /** Program and arguments; relative paths are below the project folder. No shell reads them. */
  command: z.array(z.string().min(1).max(4000)).min(1).max(50),
  /** Variables of the environment that the program gets besides those that every program needs. */
  env: z.array(Variable).max(50).default([]),
  /** Questions that the program gets before it has answered the first of them. */
  concurrency: z.int().min(1).max(32).default(1),
  /** True for a program that gets the documents of the corpus before the first question. */
  ingest: z.boolean().default(false),
}

const passages = z.int().min(1).max(200).default(5)

const Chat = z.strictObject({ ...common, kind: z.literal('chat'), ...http })
const Command = z.strictObject({
  ...common,
  kind: z.literal('command'),
  ...program,
  /** False for a program that reports no passages. */
  contexts: z.boolean().default(true),
})
const HttpRetriever = z.strictObject({ ...common, kind: z.literal('retriever'), ...http, k: passages })
const CommandRetriever = z.strictObject({ ...common, kind: z.literal('retriever'), ...program, k: passages })

/** Tells apart by the fields that are there, so that a problem names the field and not "one of four forms". */
export const OwnApproach = z
  .looseObject({ version: z.literal(1), kind: z.enum(['chat', 'retriever', 'command']) })
  .transform(
    (value, context): z.infer<typeof Chat | typeof Command | typeof HttpRetriever | typeof CommandRetriever> => {
      const retriever = 'command' in value ? CommandRetriever : HttpRetriever
      const schema = { chat: Chat, command: Command, retriever }[value.kind]
      const parsed = schema.safeParse(value)
      if (parsed.success) return parsed.data
      for (const issue of parsed.error.issues) context.addIssue({ ...issue })
      return z.NEVER
    },
  )
export type OwnApproach = z.output<typeof OwnApproach>
export type HttpApproach = Extract<OwnApproach, { url: string }>
export type ProgramApproach = Extract<OwnApproach, { command: string[] }>

export const isHttpApproach = (approach: OwnApproach): approach is HttpApproach => 'url' in approach

/** States how a service is asked and its reply is read, with what its preset fills in. */
export interface HttpPlan {
  url: string
  headers: Readonly<Record<string, string>>
  body: Readonly<Record<string, z.core.util.JSONType>>
  reply: ReplyMapping
}

export function httpPlan({ preset: name, url, headers, body, reply }: HttpApproach): HttpPlan {
  const preset: Preset | null = name === undefined ? null : OWN_PRESETS[name]
  return {
    url: preset === null ? url : `${url.replace(/\/$/, '')}${preset.path}`,
    headers,
    body: { ...preset?.body, ...body },
    reply: ReplyMapping.parse({ ...preset?.reply, ...reply }),
  }
}

/** Returns what is wrong with an approach beyond its form, as `field: what`. */
export function ownApproachProblems(approach: OwnApproach): string[] {
  if (!isHttpApproach(approach)) return []
  const { kind, preset, settings } = approach
  const plan = httpPlan(approach)
  const known = new Set([...FILLED_IN, ...Object.keys(settings)])
  const asked = [...JSON.stringify([plan.url, plan.body]).matchAll(/\{\{([A-Za-z0-9_.-]+)\}\}/g)].map(
    ([, name]) => name!,
  )
  const missing = [...new Set(asked)].filter((name) => !known.has(name))
  return [
    ...(preset !== undefined && OWN_PRESETS[preset].kind !== kind
      ? [`kind: the preset ${preset} is of the kind ${OWN_PRESETS[preset].kind}`]
      : []),
    ...(asked.includes('question') ? [] : ['body: no field holds {{question}}']),
    ...missing.map((name) => `settings.${name}: missing, {{${name}}} is filled in from it`),
    ...(kind === 'chat' && plan.reply.answer === null
      ? ['reply.answer: missing, the path of the answer is required']
      : []),
    ...(kind === 'retriever' && plan.reply.contexts === null
      ? ['reply.contexts: missing, the paths of the passages are required']
      : []),
  ]
}

/** States what a body gets with each question. */
const FILLED_IN = ['question', 'uuid', 'budget', 'k']

/** True where the replies of an approach carry the passages that its answer was written from. */
export const reportsContexts = (approach: OwnApproach): boolean =>
  approach.kind === 'retriever' ||
  (isHttpApproach(approach) ? httpPlan(approach).reply.contexts !== null : approach.contexts)
