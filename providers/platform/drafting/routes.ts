import type { FastifyInstance } from 'fastify'
import { DraftQuestionsRequest } from '../../../contract/http/draft.ts'
import type { DraftQuestionsResponse } from '../../../contract/http/draft.ts'
import { callerSignal } from '../../kit/caller-signal.ts'
import { parseRequest } from '../../kit/validate.ts'
import type { ModelHost } from '../models/model-host.ts'
import { draftReplySchema, parseDraftReply, renderDraftTask } from '../models/prompts/draft-task.ts'

/**
 * `POST /api/questions/draft`: questions that passages answer, by one call of the model that writes answers. Nothing of them is checked: the
 * caller has the documents. A reply that cannot be read gives no drafts, and `problem` names the reason: it is not asked for again, because people
 * confirm the number of calls before any is paid.
 */
export function registerDraftRoutes(app: FastifyInstance, { models }: { models: ModelHost }): void {
  app.post('/api/questions/draft', async (request, reply): Promise<DraftQuestionsResponse> => {
    const task = parseRequest(DraftQuestionsRequest, request.body)
    const asked = { messages: renderDraftTask(task), temperature: 0, reply_schema: draftReplySchema(task) }
    const { choices, usage } = await models.chat('light_gen', asked, callerSignal(request, reply))
    const read = parseDraftReply(choices[0]?.message.content ?? '')
    return {
      model: models.modelName('light_gen'),
      rules: models.isBuiltin('light_gen'),
      drafts: read.ok ? read.value : [],
      problem: read.ok ? null : read.message,
      usage: usage === undefined ? null : { input_tokens: usage.prompt_tokens, output_tokens: usage.completion_tokens },
    }
  })
}
