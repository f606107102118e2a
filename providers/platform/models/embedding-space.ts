import { modelNameOf } from '../../../contract/index.ts'
import type { ModelChoice } from '../../../contract/index.ts'

/**
 * The name of a model as an embedding, with every setting that changes its vectors: vectors of two spaces cannot be compared. Collections and
 * stored vectors carry it. The number of dimensions is left out, because vectors show it themselves.
 */
export function embeddingSpaceOf(choice: ModelChoice): string {
  const settings = settingsOf(choice)
  return settings.length === 0 ? modelNameOf(choice) : `${modelNameOf(choice)} (${settings.join(', ')})`
}

function settingsOf(choice: ModelChoice): string[] {
  if ('defaults' in choice) {
    const { dimensions: _dimensions, ...defaults } = choice.defaults
    return Object.keys(defaults)
      .toSorted()
      .map((name) => `${name} ${JSON.stringify(defaults[name])}`)
  }
  if (!('dtype' in choice)) return []
  const { dtype, query_prefix: query, document_prefix: document, pooling, max_tokens: maxTokens } = choice
  return [
    dtype,
    ...(query === '' ? [] : [`query_prefix ${JSON.stringify(query)}`]),
    ...(document === '' ? [] : [`document_prefix ${JSON.stringify(document)}`]),
    ...(pooling === undefined ? [] : [`pooling ${pooling}`]),
    ...(maxTokens === undefined ? [] : [`max_tokens ${maxTokens}`]),
  ]
}
