import { expect, it } from 'vitest'
import { failureMessage } from './role-words.ts'

it.each([
  [
    'the model call for role light_gen failed: no answer within its time limit',
    'the model that writes answers failed: no answer within its time limit',
  ],
  ['choose another model for graph_extract', 'choose another model that extracts the graph'],
  ['The model declared for role rerank cannot embed', 'The model that reranks cannot embed'],
  ['another role stays: model for light_generation', 'another role stays: model for light_generation'],
])('a message names the work of a model, not the id of its role: %s', (message, shown) =>
  expect(failureMessage(message)).toBe(shown),
)
