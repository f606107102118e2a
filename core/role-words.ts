import type { ModelRole } from '../contract/manifests/models.ts'

const WORK: Readonly<Record<ModelRole | 'judge', string>> = {
  embed: 'embeds',
  rerank: 'reranks',
  light_gen: 'writes answers',
  contextual_blurb: 'writes context for chunks',
  agentic: 'runs the agent',
  graph_extract: 'extracts the graph',
  graph_keyword: 'finds keywords for the graph',
  graph_query: 'answers from the graph',
  workflow_classifier: 'chooses the route of a question',
  evaluator: 'grades answers',
  evaluator_embed: 'embeds for grades',
  judge: 'judges answers',
}

/** Returns what a model does in a role. An id that is no role of this version stays as it is. */
export const roleWords = (role: string): string =>
  (WORK as Readonly<Record<string, string>>)[role] ?? role.replaceAll('_', ' ')

const MODEL_OF_ROLE = new RegExp(
  `\\bmodel(?: call| declared)? (?:for|of)(?: role)? (${Object.keys(WORK).join('|')})\\b`,
  'g',
)

/** A failure's message with roles in the words of the form of a model set; files and the terminal have their ids. */
export const failureMessage = (message: string): string =>
  message.replace(MODEL_OF_ROLE, (_, role: string) => `model that ${roleWords(role)}`)
