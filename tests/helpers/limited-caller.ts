// A process that asks a model many things at once, as a runner does: it reports how many calls were answered, and what failed.
import { MODEL_BACKENDS } from '../../contract/manifests/model-backends.ts'
import { ModelRole } from '../../contract/manifests/models.ts'
import { messageOf } from '../../core/json.ts'
import { createModelHost } from '../../providers/platform/models/create-model-host.ts'

const [, , address, pacesDir, calls] = process.argv
const choice = MODEL_BACKENDS.openai.settings.parse({ backend: 'openai', model: 'm', base_url: address })
const roles = Object.fromEntries(ModelRole.options.map((role) => [role, choice]))
const host = createModelHost(
  { name: 'limited', roles: roles as Record<ModelRole, typeof choice> },
  {
    secret: () => undefined,
    onnxCacheDir: '',
    loadBuiltin: () => Promise.reject(new Error('no rules here')),
    ...(pacesDir === '' ? {} : { pacesDir: pacesDir! }),
  },
)
const results = await Promise.allSettled(
  Array.from({ length: Number(calls) }, (_, place) =>
    host.chat('light_gen', { messages: [{ role: 'user', content: `Question ${place}` }] }),
  ),
)
const failed = results.flatMap((result) => (result.status === 'rejected' ? [messageOf(result.reason)] : []))
process.stdout.write(`${JSON.stringify({ answered: results.length - failed.length, failed })}\n`)
await host.close()
