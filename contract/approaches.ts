// One descriptor per base approach: its parameters, its looks and how a run uses it. Every list of approaches in the product is derived from
// this table: the manifests' schemas, the default matrix, routes and availability of the gateway, charts, report and terminal.
// To add one: a descriptor here, its file in providers/platform/rag/approaches, its entry in that folder's registry.ts.
import { z } from 'zod'
import { Identifier } from './common.ts'
import { promptProblem, type EditablePrompt } from './prompts.ts'

export type ApproachMarker =
  | 'square'
  | 'circle'
  | 'diamond'
  | 'triangle'
  | 'pentagon'
  | 'cross'
  | 'hexagon'
  | 'star'
  | 'triangle-down'
  | 'bar'
  | 'hourglass'
  | 'chevron'
  | 'stairs'

/** Parameters as a row records them. */
type Called = Readonly<Record<string, unknown>>
interface RunKind {
  /** The run fills a context budget. */
  hasBudget: boolean
}

/** A model by its role, or what is to be read in its place. */
type ModelInUse = { role: string } | string

/** Describes how an approach works besides how it ranks, as far as its parameters tell. */
interface ApproachProtocol {
  encoder: ModelInUse
  chunks: string
  /** Null where the parameters do not tell. */
  candidates: string | null
  reranker: ModelInUse
  answers: ModelInUse
  prompt: string
}

interface ApproachDescriptor {
  /** Name without what all approaches share. */
  short: string
  /** Okabe and Ito's colours, which are safe for color-blind readers; yellow is darkened. */
  colour: string
  /** Drawn with the colour: colour alone never carries a meaning. */
  marker: ApproachMarker
  protocol: (called: Called, run: RunKind) => ApproachProtocol
  /** Holds what an alias of this approach sets in the flavors file. */
  parameters: z.ZodType
  /** Holds what a person's own flavor sets, where that is not `parameters`; null where there is nothing to set. */
  ownParameters?: z.ZodType | null
  /**
   * Calls of models that one answer usually takes, by role, for an estimate before any row exists; one call of `light_gen` unless given, null where it is
   * unknown.
   */
  usualCalls?: ((called: Called) => Readonly<Record<string, number>>) | null
  /** Runs only when it is selected by name; all others are the default matrix. */
  experimental?: boolean
  /** Declared by no alias of a project's manifests: the platform serves it beside them, and a run has it only when it is named. */
  isBesides?: boolean
  /** Asked with the contextual collection, by itself or through the alias that it delegates to. */
  usesContextual?: boolean
  /** Asked with the tree of summaries of a corpus, which is built for it. */
  usesTree?: boolean
  /** Finds passages by their vectors and by nothing else. */
  searchesByVectors?: boolean
  /** Chooses its passages before the answer is written, so that they can be asked for alone. */
  retrievesFirst?: boolean
  /** States what it does, for choosing among them. */
  work?: string
  /** The same with what it costs, where that is more than its calls for an answer. */
  about?: string
  /** Roles that have to be language models: rules cannot write what the approach searches with or in. */
  languageModels?: readonly string[]
  /** Asks the graph engine, by itself or through the alias that it delegates to: the corpus is extracted for it. */
  usesGraph?: boolean
}

const count = z.int().min(1).max(200)
const weight = z.number().min(0).max(1)
/** Describes what the model that writes the answer is instructed to do beside its task. The built-in answerer, which is a rule, ignores it. */
const instructions = z.string().trim().min(1).max(2000).optional()
/** A text in place of the project's prompt, with the names of the blocks that hold the data. */
const ownPrompt = (name: EditablePrompt) =>
  z
    .string()
    .trim()
    .min(1)
    .max(8000)
    .superRefine((text, context) => {
      const problem = promptProblem(name, text)
      if (problem !== null) context.addIssue({ code: 'custom', message: problem })
    })
    .optional()
const answerPrompt = ownPrompt('answer')
const hybridSearch = z.strictObject({
  retrieve_k: count,
  top_n: count,
  alpha: weight,
  rerank: z.boolean(),
  instructions,
  answer_prompt: answerPrompt,
})

/** Stands for a model where an approach asks none. */
export const NO_MODEL = 'none'
const DELEGATED = 'that of the delegate'
const ANSWER_TASK = 'answer task'
const ITS_OWN = 'its own'
const NOTHING = { encoder: NO_MODEL, chunks: NO_MODEL, candidates: null, reranker: NO_MODEL }
const promptOf = (called: Called, task = ANSWER_TASK): string => {
  const own = called['answer_prompt'] === undefined && called['agent_prompt'] === undefined ? task : 'prompt of its own'
  return called['instructions'] === undefined ? own : `${own} with instructions of its own`
}
/** A text with the parameters that it names; null where one is missing. */
const told = (called: Called, names: readonly string[], words: (...values: string[]) => string): string | null =>
  names.every((name) => name in called) ? words(...names.map((name) => String(called[name]))) : null
const chunks = (count: string): string => `${count} chunks`
/** A run with a budget hands over what fills it, whatever number of chunks an approach declares. */
const UNTIL_FULL = 'chunks until the budget is full'
const plainProtocol = (called: Called, candidates: string | null): ApproachProtocol => ({
  encoder: { role: 'embed' },
  chunks: 'chunks of the ingestion',
  candidates,
  reranker: NO_MODEL,
  answers: { role: 'light_gen' },
  prompt: promptOf(called),
})
const searchProtocol = (called: Called, { hasBudget }: RunKind): ApproachProtocol => ({
  ...plainProtocol(called, hasBudget ? UNTIL_FULL : told(called, ['retrieve_k'], chunks)),
  encoder: called['alpha'] === 0 ? NO_MODEL : { role: 'embed' },
  reranker: called['rerank'] === true ? { role: 'rerank' } : NO_MODEL,
})

/** Describes how the graph engine is asked. */
export const GraphQuerySettings = z.strictObject({
  mode: z.enum(['local', 'global', 'hybrid', 'naive', 'mix']),
  top_k: count,
  chunk_top_k: count,
  max_total_tokens: z.int().min(256).max(200_000),
  enable_rerank: z.boolean(),
})
const ownGraphQuery = z.strictObject({ ...GraphQuerySettings.shape, instructions, answer_prompt: answerPrompt })

/** In ladder order. */
export const APPROACHES = {
  'vanilla-rag': {
    protocol: (called, { hasBudget }) => plainProtocol(called, hasBudget ? UNTIL_FULL : told(called, ['k'], chunks)),
    short: 'vanilla',
    work: 'finds the chunks that are nearest to the question in meaning',
    searchesByVectors: true,
    retrievesFirst: true,
    colour: '#0072B2',
    marker: 'square',
    parameters: z.strictObject({ k: count, instructions, answer_prompt: answerPrompt }),
  },
  'hybrid-rag': {
    protocol: searchProtocol,
    short: 'hybrid',
    work: 'searches by meaning and by keywords, and reranks what both find',
    colour: '#E69F00',
    marker: 'circle',
    parameters: hybridSearch,
    retrievesFirst: true,
  },
  'contextual-rag': {
    protocol: (called, run) => ({
      ...searchProtocol(called, run),
      chunks: 'the same with a written context before each',
    }),
    short: 'contextual',
    work: 'searches as hybrid does, in chunks that a model has placed in the context of their document',
    colour: '#009E73',
    marker: 'diamond',
    parameters: hybridSearch,
    usesContextual: true,
    retrievesFirst: true,
  },
  'graph-rag': {
    protocol: (called) => ({
      ...plainProtocol(
        called,
        told(called, ['query_profile'], (profile) => `query profile ${profile}`) ??
          told(called, ['top_k'], (count) => `${count} entities and relations`),
      ),
      chunks: 'chunks, entities and relations of the graph',
      reranker: { role: 'rerank' },
      answers: { role: 'graph_query' },
      prompt: promptOf(called, 'answer task with statements of the graph'),
    }),
    usualCalls: () => ({ graph_keyword: 1, graph_query: 1 }),
    short: 'graph',
    work: 'follows entities and relations that a model has extracted from the documents',
    colour: '#CC79A7',
    marker: 'triangle',
    usesGraph: true,
    /** A managed query profile by name, or the settings themselves. */
    parameters: z.union([z.strictObject({ query_profile: Identifier }), ownGraphQuery]),
    ownParameters: ownGraphQuery,
  },
  'agentic-rag': {
    protocol: (called, { hasBudget }) => ({
      ...plainProtocol(
        called,
        told(
          called,
          ['vector_top_k', 'max_steps'],
          (count, steps) =>
            `${count} chunks a search, in up to ${steps} steps${hasBudget ? `, then ${UNTIL_FULL}` : ''}`,
        ),
      ),
      reranker: { role: 'rerank' },
      answers: { role: 'agentic' },
      prompt: promptOf(called, hasBudget ? ANSWER_TASK : 'conversation of the agent'),
    }),
    // An agent stops as soon as it has what it needs: half of its steps, on all levels of the ladder together.
    usualCalls: ({ max_steps: most }) => ({ agentic: Math.ceil(Number(most) / 2) }),
    short: 'agentic',
    work: 'lets a model search chunks and the graph, step by step, until it can answer',
    colour: '#D55E00',
    marker: 'pentagon',
    usesGraph: true,
    parameters: z.strictObject({
      max_steps: z.int().min(1).max(50),
      vector_top_k: count,
      /** Contexts that the answer is given out of everything that the steps found. */
      max_contexts: z.int().min(1).max(50).default(8),
      graph_mode: z.enum(['local', 'global', 'hybrid', 'naive', 'mix']),
      instructions,
      answer_prompt: answerPrompt,
      agent_prompt: ownPrompt('agent'),
    }),
  },
  'workflow-adaptive-rag': {
    protocol: () => ({
      encoder: DELEGATED,
      chunks: DELEGATED,
      candidates: DELEGATED,
      reranker: DELEGATED,
      answers: DELEGATED,
      prompt: DELEGATED,
    }),
    // Most questions with several facts are routed to the agent.
    usualCalls: () => ({ workflow_classifier: 1, agentic: 2 }),
    short: 'adaptive',
    work: 'chooses another approach for each question, by what the question asks for',
    colour: '#56B4E9',
    marker: 'cross',
    parameters: z.strictObject({}),
    ownParameters: null,
    usesContextual: true,
    usesGraph: true,
  },
  'lazy-graph-rag': {
    protocol: (called, { hasBudget }) =>
      plainProtocol(
        called,
        told(
          called,
          ['seed_k', 'relevance_budget'],
          (seeds, more) => `${seeds} seeds, and from them ${hasBudget ? UNTIL_FULL : chunks(more)}`,
        ),
      ),
    short: 'lazy-graph',
    work: 'goes on from the chunks found to others that share names and terms with them',
    colour: '#8F7700',
    marker: 'hexagon',
    parameters: z.strictObject({
      relevance_budget: z.int().min(1).max(1000),
      seed_k: count,
      max_context_chunks: count,
      max_concepts_per_chunk: count,
      instructions,
      answer_prompt: answerPrompt,
    }),
    experimental: true,
    retrievesFirst: true,
  },
  'hyde-rag': {
    protocol: (called, { hasBudget }) => plainProtocol(called, hasBudget ? UNTIL_FULL : told(called, ['k'], chunks)),
    usualCalls: () => ({ light_gen: 2 }),
    short: 'hyde',
    work: 'searches by a passage that the model makes up (HyDE)',
    searchesByVectors: true,
    retrievesFirst: true,
    colour: '#1B7F8C',
    marker: 'hourglass',
    parameters: z.strictObject({ k: count, with_question: z.boolean() }),
    ownParameters: null,
    languageModels: ['light_gen'],
    experimental: true,
    isBesides: true,
  },
  'multi-query-rag': {
    protocol: (called, { hasBudget }) =>
      plainProtocol(
        called,
        told(called, ['rephrasings'], (more) => `${more} further searches, and ${hasBudget ? UNTIL_FULL : 'the best'}`),
      ),
    usualCalls: () => ({ light_gen: 2 }),
    short: 'multi-query',
    work: 'searches by rephrasings of the question, fused by rank (RAG-Fusion)',
    searchesByVectors: true,
    retrievesFirst: true,
    colour: '#B0417A',
    marker: 'chevron',
    parameters: z.strictObject({ k: count, rephrasings: z.int().min(1).max(10) }),
    ownParameters: null,
    languageModels: ['light_gen'],
    experimental: true,
    isBesides: true,
  },
  'raptor-rag': {
    protocol: (called, { hasBudget }) => ({
      ...plainProtocol(
        called,
        hasBudget
          ? UNTIL_FULL
          : told(called, ['max_tokens'], (tokens) => `chunks and summaries up to ${tokens} tokens`),
      ),
      chunks: 'chunks of the ingestion and summaries of clusters of them',
    }),
    short: 'raptor',
    about:
      'searches chunks and summaries of clusters of them (RAPTOR); model calls at ingestion, about one for 5 chunks',
    searchesByVectors: true,
    retrievesFirst: true,
    colour: '#4C6A2F',
    marker: 'stairs',
    parameters: z.strictObject({ k: count, max_tokens: z.int().min(256).max(200_000) }),
    ownParameters: null,
    usesTree: true,
    languageModels: ['contextual_blurb'],
    experimental: true,
    isBesides: true,
  },
  'no-retrieval': {
    protocol: () => ({ ...NOTHING, answers: { role: 'light_gen' }, prompt: 'question alone' }),
    short: 'no retrieval',
    work: 'the model without any document',
    colour: '#8A5A44',
    marker: 'bar',
    parameters: z.strictObject({}),
    ownParameters: null,
    experimental: true,
    isBesides: true,
  },
  'full-context': {
    protocol: () => ({
      ...NOTHING,
      chunks: 'whole documents, in the order of the corpus',
      candidates: 'all documents that the model takes',
      answers: { role: 'light_gen' },
      prompt: ANSWER_TASK,
    }),
    short: 'full context',
    work: 'the model with all documents that its window holds',
    colour: '#5F6B7A',
    marker: 'triangle-down',
    parameters: z.strictObject({}),
    ownParameters: null,
    experimental: true,
    isBesides: true,
  },
  'own-approach': {
    usualCalls: null,
    protocol: ({ kind }) => ({
      encoder: ITS_OWN,
      chunks: ITS_OWN,
      candidates: null,
      reranker: ITS_OWN,
      answers: kind === 'retriever' ? { role: 'light_gen' } : ITS_OWN,
      prompt: kind === 'retriever' ? ANSWER_TASK : ITS_OWN,
    }),
    short: 'own',
    colour: '#7A4EB0',
    marker: 'star',
    /** States what its file declares, with hashes; the file itself says what is called. */
    parameters: z.record(z.string(), z.json()),
    ownParameters: null,
    experimental: true,
    isBesides: true,
  },
} as const satisfies Record<string, ApproachDescriptor>

/**
 * The baseline to beat, and no declared alias: keyword search alone (BM25; the embedded store stems English), without vectors and reranker. A platform
 * serves it beside the aliases of its manifests, and a run has it unless its approaches are chosen.
 */
export const KEYWORD_BASELINE = 'bm25'
export const KEYWORD_BASELINE_WORK = 'keyword search alone'
export const KEYWORD_BASELINE_PARAMETERS = { retrieve_k: 5, top_n: 5, alpha: 0, rerank: false }

/** Stands after the name of the keyword baseline in every table. */
const BASELINE_MARK = '(baseline)'

/** Alias that the others are compared with, where it is selected and no other is chosen. */
export const BASELINE = 'hybrid-rag'

export type BaseApproach = keyof typeof APPROACHES
export const BaseApproach = z.enum(Object.keys(APPROACHES) as [BaseApproach, ...BaseApproach[]])

export type ApproachParameters = { [Base in BaseApproach]: z.infer<(typeof APPROACHES)[Base]['parameters']> }

export const approachDescriptor = (base: BaseApproach): ApproachDescriptor => APPROACHES[base]

/** True where the passages of an approach can be asked for without an answer; of own approaches that is a retriever. */
export const retrievesFirst = ({ base, parameters }: { base: BaseApproach; parameters: object }): boolean =>
  base === 'own-approach'
    ? (parameters as Called)['kind'] === 'retriever'
    : approachDescriptor(base).retrievesFirst === true

/** Approaches of which a project's manifests can declare aliases. */
export const DECLARABLE_APPROACHES: readonly BaseApproach[] = BaseApproach.options.filter(
  (base) => approachDescriptor(base).isBesides !== true,
)

/** Baselines that a run has when they are named: the model without any document, and with all that it takes. */
export const TEXT_BASELINES = ['no-retrieval', 'full-context'] as const satisfies readonly BaseApproach[]

/** Approaches of the literature that a run has when they are named, with the parameters that they are served with. */
export const EXPERIMENTAL_APPROACHES = {
  'hyde-rag': { k: 5, with_question: true },
  'multi-query-rag': { k: 5, rephrasings: 3 },
  'raptor-rag': { k: 20, max_tokens: 2000 },
} as const satisfies { [Base in BaseApproach]?: ApproachParameters[Base] }

/** Stands after the name of an experimental approach of that table. */
const EXPERIMENTAL_MARK = '(experimental)'

/** Stands after the name of an approach wherever it is listed; null for most. */
export const approachMark = (model: string): string | null =>
  model === KEYWORD_BASELINE ? BASELINE_MARK : model in EXPERIMENTAL_APPROACHES ? EXPERIMENTAL_MARK : null

/** An approach as tables name it. */
export function approachLabel(model: string): string {
  const mark = approachMark(model)
  return mark === null ? model : `${model} ${mark}`
}

/** The canonical approaches: the default matrix. */
export const CANONICAL_APPROACHES: readonly BaseApproach[] = BaseApproach.options.filter(
  (base) => approachDescriptor(base).experimental !== true,
)
