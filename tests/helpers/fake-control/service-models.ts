import type { IncomingMessage, ServerResponse } from 'node:http'
import { findServiceRoute } from '../../../contract/control/service-routes.ts'
import { ServiceName } from '../../../contract/control/services.ts'
import type { ServiceModel } from '../../../contract/http/service-model.ts'

export const TABLE_MODEL = 'Xenova/table-transformer-structure-recognition-v1.1-all'
export const OFFLINE = `config.json of the model ${TABLE_MODEL} (MIT) could not be fetched: the network is not to be used. Connect to the network. Until then tables are found by rules`
const VOICE_BYTES = 92_000_000
const FIRST_BYTES = 23_000_000

const model = (part: Partial<ServiceModel> & Pick<ServiceModel, 'id' | 'task' | 'license'>): ServiceModel => ({
  ...{ installed: true, download_bytes: null, source_page: null, progress: null, pinned: null, failure: null },
  ...part,
})

/** Models of two services: a download halts after its first bytes until it is released, and the converter has no network. */
export class FakeServiceModels {
  readonly #models: Partial<Record<ServiceName, ServiceModel[]>> = {
    tts: [
      model({ id: 'flite', task: 'text-to-speech', license: 'BSD-4-Clause' }),
      model({
        ...{ id: 'kokoro', task: 'text-to-speech', license: 'Apache-2.0', installed: false, pinned: true },
        ...{ download_bytes: VOICE_BYTES, source_page: 'https://example.org/kokoro' },
      }),
    ],
    converter: [
      model({
        ...{ id: TABLE_MODEL, task: 'table structure', license: 'MIT', installed: false, pinned: false },
        source_page: 'https://example.org/tables',
      }),
    ],
  }
  #downloads: { model: ServiceModel; end: (isWhole: boolean) => void }[] = []

  /** Lets every download come to its end. */
  release(): void {
    for (const { end } of this.#downloads.splice(0)) end(true)
  }

  /** False where it is no call of a service's models. */
  answer(request: IncomingMessage, response: ServerResponse): boolean {
    const [, name = '', path = ''] = /^\/control\/services\/([\w-]+)\/proxy(\/[^?]*)/.exec(request.url ?? '') ?? []
    const service = ServiceName.safeParse(name).data
    const models = service === undefined ? undefined : this.#models[service]
    const method = request.method ?? 'GET'
    if (service === undefined || models === undefined || findServiceRoute(service, method, path) === null) return false
    const send = (status: number, body: object): void =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    const chosen = models.find(({ id }) => path === `/v1/models/${id}`)
    if (method === 'GET') send(200, service === 'converter' ? { models } : { object: 'list', data: models })
    else if (chosen === undefined) send(404, { detail: 'no such model' })
    else if (method === 'DELETE') {
      const running = this.#downloads.find((download) => download.model === chosen)
      this.#downloads = this.#downloads.filter((download) => download !== running)
      running?.end(false)
      chosen.installed = false
      send(200, { detail: 'deleted' })
    } else if (service === 'converter') {
      chosen.failure = OFFLINE
      send(503, { detail: OFFLINE })
    } else {
      chosen.progress = { received_bytes: FIRST_BYTES, total_bytes: VOICE_BYTES }
      const end = (isWhole: boolean): void => {
        Object.assign(chosen, { progress: null, installed: isWhole })
        send(isWhole ? 200 : 409, { detail: isWhole ? 'downloaded' : 'The download was stopped' })
      }
      this.#downloads.push({ model: chosen, end })
    }
    return true
  }
}
