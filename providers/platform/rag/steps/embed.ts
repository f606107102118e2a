import type { ApproachServices } from '../approach.ts'
import { RagError } from '../rag-error.ts'

/** The question's vector in the shared embedding space. */
export async function embedQuestion(
  question: string,
  { models }: Pick<ApproachServices, 'models'>,
  signal?: AbortSignal,
): Promise<Float32Array> {
  const [vector, ...rest] = await models.embed('embed', [question], 'query', signal)
  if (vector === undefined || rest.length > 0)
    throw new RagError('model_answer_invalid', 'the embedding model did not return one vector for one text')
  return vector
}
