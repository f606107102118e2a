import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import sharp from 'sharp'
import { expect, vi } from 'vitest'
import { createEnvReader } from '../../providers/kit/env-reader.ts'
import { createLogger } from '../../providers/kit/logger.ts'
import { createClosingList } from '../../providers/platform/jobs/closing-list.ts'
import type { Database } from '../../providers/platform/stores/database/database.ts'
import { registerImageRoutes } from '../../providers/platform/specified/compatibility/image-routes.ts'
import { openMedia } from '../../providers/platform/specified/media/media-part.ts'
import { readMediaSettings } from '../../providers/platform/specified/media/media-settings.ts'
import { MEDIA } from '../../providers/platform/specified/media/run-operation.ts'
import { folderBytes } from '../../providers/platform/specified/storage/object-bytes.ts'
import { ObjectStore } from '../../providers/platform/specified/storage/object-store.ts'
import { registerStorageRoutes } from '../../providers/platform/specified/storage/routes.ts'
import { registerTaskRoutes } from '../../providers/platform/jobs/routes.ts'
import { readTaskSettings } from '../../providers/platform/jobs/task-settings.ts'
import { TaskStore } from '../../providers/platform/jobs/task-store.ts'
import { startFakeComfyUi, type FakeComfyUi } from './fake-comfyui.ts'
import { startFakeMediaProvider, type FakeMediaProvider } from './fake-media-provider.ts'
import { openDatabase } from './database-address.ts'
import { guardedServer } from './guarded-server.ts'
import { temporaryFolder } from './temporary-folder.ts'
import { USER_ID, userToken } from './user-token.ts'

export const OTHER_ID = USER_ID.replace('5', '6')
export const MODEL = 'fal-ai/flux/schnell'
export const BUDGET = { MEDIA_BUDGET_ENABLED: 'true' }
export const LOCAL = {
  modality: 'image',
  provider: 'local',
  input: { prompt: 'A harbour at dusk', width: 96, height: 64 },
}
export const HOSTED = { modality: 'image', model: MODEL, input: { prompt: 'A harbour at dusk' } }
export type Body = Record<string, unknown>

const STORAGE = { maxUploadBytes: 1_000_000, buckets: ['default'], quotaBytes: 10_000_000 }
const logger = createLogger('test', 'silent')

export const tasksOf = (database: Database): TaskStore =>
  new TaskStore(database, { secret: 'a-signing-secret', visibilityTimeoutMs: 100_000 })

/** The media routes of a platform over files of a test, with a fake hosted provider; it is stopped and started like a process. */
export class MediaPlatform {
  readonly database: Database
  readonly provider: FakeMediaProvider
  readonly comfyUi: FakeComfyUi
  /** Holds what the fake provider generates: 4 × 3 pixels. */
  readonly png: Buffer
  readonly mine: string
  readonly others: string
  readonly #folder: string
  app!: FastifyInstance
  objects!: ObjectStore
  #closing = createClosingList()

  private constructor(
    folder: string,
    provider: FakeMediaProvider,
    comfyUi: FakeComfyUi,
    png: Buffer,
    tokens: { mine: string; others: string },
    database: Database,
  ) {
    this.#folder = folder
    this.provider = provider
    this.comfyUi = comfyUi
    this.png = png
    this.mine = tokens.mine
    this.others = tokens.others
    this.database = database
  }

  /** `address`: of its database. */
  static async create(address: string): Promise<MediaPlatform> {
    const png = await sharp({ create: { width: 4, height: 3, channels: 3, background: '#f80' } })
      .png()
      .toBuffer()
    const provider = await startFakeMediaProvider([{ bytes: png, type: 'application/octet-stream' }])
    const tokens = { mine: await userToken(), others: await userToken({ sub: OTHER_ID }) }
    const comfyUi = await startFakeComfyUi()
    return new MediaPlatform(
      await temporaryFolder('media'),
      provider,
      comfyUi,
      png,
      tokens,
      await openDatabase(address),
    )
  }

  /** Folder of stored files. */
  get storage(): string {
    return join(this.#folder, 'storage')
  }

  async start(env: Record<string, string> = {}): Promise<void> {
    this.#closing = createClosingList()
    this.app = guardedServer({ BACKEND_WORKFLOW_API_TOKEN: 'workflow-token' }).app
    const reader = createEnvReader({
      MEDIA_FAL_ENABLED: 'true',
      FAL_API_KEY: 'the-key',
      FAL_ENDPOINT: this.provider.url,
      COMFYUI_URL: this.comfyUi.url,
      COMFYUI_CHECKPOINT: this.comfyUi.checkpoint,
      MEDIA_FAL_MODELS: JSON.stringify({ [MODEL]: { cost_usd: 0.003, license: 'Apache-2.0' } }),
      ...env,
    })
    const settings = readMediaSettings(reader)
    expect(reader.problems).toEqual([])
    const folder = this.storage
    this.objects = new ObjectStore({
      database: this.database,
      bytes: folderBytes(folder),
      incoming: join(folder, '.incoming'),
      settings: STORAGE,
    })
    registerStorageRoutes(this.app, this.objects, STORAGE.maxUploadBytes)
    registerTaskRoutes(this.app, tasksOf(this.database), [MEDIA])
    const media = await openMedia({
      app: this.app,
      database: this.database,
      tasks: tasksOf(this.database),
      objects: this.objects,
      settings,
      taskSettings: readTaskSettings(createEnvReader({})),
      fileMaxBytes: STORAGE.maxUploadBytes,
      ownConsumer: 'atlas',
      logger,
      closing: this.#closing,
      pollMs: 10,
    })
    registerImageRoutes(this.app, media)
  }

  /** Ends the worker; the routes go on. */
  stopWork = async (): Promise<void> => this.#closing.closeAll()

  async stop(): Promise<void> {
    await this.stopWork()
    await this.app.close()
  }

  async close(): Promise<void> {
    await this.stop()
    await this.provider.close()
    await this.comfyUi.close()
    await this.database.close()
  }

  ask = async (method: 'GET' | 'POST', url: string, payload?: object, token = this.mine) => {
    const headers = { authorization: `Bearer ${token}` }
    const answer = await this.app.inject({ method, url, headers, ...(payload === undefined ? {} : { payload }) })
    return { status: answer.statusCode, body: answer.json<Body>() }
  }

  generate = async (payload: object, token = this.mine) => this.ask('POST', '/media/generate', payload, token)

  /** Starts an operation and returns its id. */
  begin = async (payload: object): Promise<string> => String((await this.generate(payload)).body['operation_id'])

  show = async (id: string): Promise<Body> => (await this.ask('GET', `/media/operations/${id}`)).body

  reached = async (id: string, status: string): Promise<void> =>
    vi.waitFor(async () => expect((await this.show(id))['status']).toBe(status), { timeout: 5000 })

  cancel = async (id: string) => this.ask('POST', `/media/operations/${id}/cancel`, {})

  reconcile = async (id: string, payload: object, token = 'operator-token') =>
    this.ask('POST', `/media/operations/${id}/reconcile`, payload, token)

  spend = async (token = 'operator-token'): Promise<Body[]> =>
    (await this.ask('GET', '/media/spend', undefined, token)).body['scopes'] as Body[]

  /** The committed, reserved and doubtful amounts of the platform's own consumer. */
  account = async (): Promise<unknown[] | null> => {
    const own = (await this.spend()).find(({ scope }) => scope === 'atlas')
    return own === undefined ? null : [own['committed_usd'], own['reserved_usd'], own['recovery_rows']]
  }
}
