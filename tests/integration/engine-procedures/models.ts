import { createHash } from 'node:crypto'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { setForAllRoles } from '../../../contract/manifests/models.ts'
import { failureOf } from '../../helpers/engine-process.ts'
import { startFileServer } from '../../helpers/file-server.ts'
import { capableAnswer, type AskedOfModel } from '../../helpers/capable-model.ts'
import { json, startFaultServer, type Behaviour } from '../../helpers/fault-server.ts'
import { root, client } from './setup.ts'

const answering: Behaviour = (response, request, body) =>
  request.method === 'GET'
    ? json({}, 404)(response, request, body)
    : json(capableAnswer(JSON.parse(body) as AskedOfModel))(response, request, body)

describe('models', () => {
  it('connects a service, tests it with an exact error, saves a set of it and uses that', async () => {
    const { models } = client
    const before = await models.list()
    expect(before.sets.filter(({ is_default: isDefault }) => isDefault).map(({ name }) => name)).toEqual(['builtin'])
    expect(before.connections.find(({ name }) => name === 'openai')).toMatchObject({ cloud: true, own: false })
    const service = await startFaultServer()
    const connection = { kind: 'compatible' as const, base_url: `${service.url}/v1` }
    service.script(json({ data: [{ id: 'tiny' }] }), answering)
    const tested = await models.test({ target: { connection } })
    expect(tested).toMatchObject({ works: true, models: ['tiny'], problems: [] })
    expect(tested.probes.map(({ probe, status }) => `${probe} ${status}`)).toEqual([
      'models passed',
      'chat passed',
      'structured passed',
      'extraction passed',
      'critic passed',
      'tools passed',
      'judge passed',
      'embedding skipped',
    ])
    expect(await models.add({ name: 'lab', connection })).toMatchObject({
      connections: expect.arrayContaining([
        {
          name: 'lab',
          kind: 'compatible',
          address: connection.base_url,
          key: 'none',
          key_env: null,
          key_set: true,
          cloud: false,
          own: true,
          declared: connection,
        },
      ]) as unknown,
    })
    const keyed = await models.setKey({ name: 'lab', key: 'sk-0123456789' })
    expect(keyed.connections.find(({ name }) => name === 'lab')).toMatchObject({ key: 'stored', key_set: true })
    expect(JSON.stringify(keyed)).not.toContain('sk-0123456789')
    expect(await failureOf(models.setKey({ name: 'nowhere', key: 'sk-1' }))).toMatchObject({ code: 'input_invalid' })
    await models.setKey({ name: 'lab', key: null })
    service.script(json({ error: { message: 'the model is gone' } }, 500))
    const failed = await models.test({ target: { name: 'lab' }, model: 'tiny' })
    expect(failed.works).toBe(false)
    expect(failed.probes[0]!.error).toContain('the model is gone')
    await service.close()

    const set = setForAllRoles('', { connection: 'lab', model: 'tiny' }, null)
    const { sets } = await models.saveSet({ name: 'mine', set })
    expect(sets.find(({ name }) => name === 'mine')).toMatchObject({
      own: true,
      roles: { light_gen: { model: 'tiny' }, embed: { backend: 'builtin' } },
      declared: { default: { connection: 'lab', model: 'tiny' }, roles: { embed: { model: 'hashed-768' } } },
    })
    expect((await client.experiment.get()).model_sets.map(({ name }) => name)).toContain('mine')
    expect((await models.use({ name: 'mine' })).sets.find((each) => each.is_default)!.name).toBe('mine')
    expect(await failureOf(models.saveSet({ name: 'builtin', set }))).toMatchObject({ code: 'input_invalid' })
    expect(await failureOf(models.remove({ name: 'lab' }))).toMatchObject({
      code: 'manifest_invalid',
      message: expect.stringContaining('no connection is named lab') as string,
    })
    await models.remove({ name: 'mine', part: 'set' })
    const after = await models.remove({ name: 'lab' })
    expect(after).toEqual(before)
    expect(await failureOf(models.remove({ name: 'openai' }))).toMatchObject({ code: 'input_invalid' })
  })

  it('writes of a set only what was chosen', async () => {
    const path = '/nowhere/small.gguf'
    await client.models.saveSet({ name: 'file', set: setForAllRoles('', { backend: 'gguf', model: path }, null) })
    const written = await readFile(join(root, '.rag-ladder/models.yaml'), 'utf8')
    expect(written).toContain(`default:\n      backend: gguf\n      model: ${path}\n    roles:`)
    await client.models.remove({ name: 'file' })
  })

  it('finds model files of the project, and reports what is wrong with one', async () => {
    const [folder, good, bad] = [join(root, 'models'), 'models/good.gguf', 'models/bad.gguf']
    await mkdir(folder)
    await Promise.all([writeFile(join(root, good), 'GGUF\u0003'), writeFile(join(root, bad), '<html>')])
    const found = await client.models.found()
    expect(found.folders).toContain(folder)
    expect(found.files).toContainEqual({ path: join(root, good), size_bytes: 5 })
    const test = async (file: string) => (await client.models.test({ target: { file } })).probes[0]!
    expect((await test(bad)).error).toContain('is not a GGUF file')
    expect((await test('models/none.gguf')).error).toContain('there is no file')
    await rm(folder, { recursive: true })
  })
})

describe('the catalogue of models', () => {
  it('is fetched from with progress, checked, and refuses a file of another checksum or without one', async () => {
    const server = await startFileServer()
    const bytes = Buffer.from(`GGUF${'\0'.repeat(60_000)}`)
    server.files.set('/small.gguf', bytes)
    const file = (name: string, sha256: string | null) => [
      { path: `${name}.gguf`, url: `${server.url}/small.gguf`, size_bytes: bytes.length, sha256 },
    ]
    const common = { job: 'small-language-model', source_page: server.url, license: 'MIT', languages: ['en'] }
    const model = (id: string, files: object[]) => ({ id, ...common, run_by: { backend: 'gguf' }, files })
    const right = createHash('sha256').update(bytes).digest('hex')
    const models = [
      { ...model('good', file('good', right)), memory_mib: 1 },
      model('wrong', file('wrong', 'a'.repeat(64))),
      model('unchecked', file('unchecked', null)),
    ]
    const path = join(root, 'manifests/model-catalogue.yaml')
    const shipped = await readFile(path, 'utf8')
    await writeFile(path, JSON.stringify({ version: 1, models }))
    const fetch = async (id: string) => {
      return (await Array.fromAsync(await client.models.fetch({ id }))).at(-1)!
    }
    const target = join(root, '.rag-ladder/models/good.gguf')
    expect(await fetch('good')).toEqual({ received_bytes: bytes.length, total_bytes: bytes.length, paths: [target] })
    expect(await readFile(target)).toEqual(bytes)
    expect(await failureOf(fetch('wrong'))).toMatchObject({
      code: 'service_failed',
      message: expect.stringContaining('checksum') as string,
    })
    expect(await failureOf(fetch('unchecked'))).toMatchObject({ code: 'input_invalid' })
    const entries = await client.models.catalogue()
    expect(entries.map(({ id, fits, fetched }) => [id, fits, fetched])).toEqual([
      ['good', true, true],
      ['wrong', null, false],
      ['unchecked', null, false],
    ])
    // A set that names the file keeps it; without one it is deleted.
    await client.models.saveSet({ name: 'file', set: setForAllRoles('', { backend: 'gguf', model: target }, null) })
    expect((await client.models.catalogue())[0]).toMatchObject({ paths: [target], used_by: ['file'] })
    expect(await failureOf(client.models.removeFetched({ id: 'good' }))).toMatchObject({
      code: 'input_invalid',
      message: expect.stringContaining('the model sets file') as string,
    })
    await client.models.remove({ name: 'file' })
    const left = await client.models.removeFetched({ id: 'good' })
    expect(left[0]).toMatchObject({ id: 'good', fetched: false, received_bytes: 0, used_by: [] })
    expect(await failureOf(client.models.removeFetched({ id: 'good' }))).toMatchObject({ code: 'input_invalid' })
    await writeFile(path, shipped)
    await rm(join(root, '.rag-ladder/models'), { recursive: true })
    await server.close()
  })
})

describe('prices', () => {
  it('calibrates no set of rules, and reports a set that does not exist', async () => {
    expect(await client.models.calibrate({ set: 'builtin' })).toEqual([])
    await expect(client.models.calibrate({ set: 'absent' })).rejects.toThrow(/absent/)
  })

  it('are kept with the paid models of the sets, and replaced as a whole', async () => {
    const before = await client.models.prices()
    expect(before).toMatchObject({ currency: 'USD', models: {} })
    expect(before.paid.length).toBeGreaterThan(0)
    const [model] = before.paid
    const saved = await client.models.savePrices({
      version: 1,
      currency: 'EUR',
      models: { [model!]: { input: 0.4, output: 1.6 } },
    })
    expect(saved).toEqual({ currency: 'EUR', models: { [model!]: { input: 0.4, output: 1.6 } }, paid: before.paid })
    const wrong = { version: 1 as const, models: { [model!]: { input: -1 } } }
    expect(await failureOf(client.models.savePrices(wrong))).toMatchObject({ code: 'input_invalid' })
    expect(await client.models.prices()).toEqual(saved)
    await client.models.savePrices({ version: 1, currency: 'USD', models: {} })
    expect(await client.models.prices()).toEqual(before)
  })
})

describe('flavors', () => {
  it('are added, changed and removed in the file of the person, and never those of the project', async () => {
    const parameters = { retrieve_k: 20, top_n: 10, alpha: 0.5, rerank: true }
    const flavor = { base: 'hybrid-rag' as const, parameters }
    const before = (await client.experiment.get()).aliases
    const added = await client.flavors.save({ name: 'hybrid-k10', flavor })
    expect(added.slice(0, -1)).toEqual(before)
    expect(added.at(-1)).toMatchObject({
      alias: 'hybrid-k10',
      own: true,
      flavor: 'hybrid-k10',
      parameters,
      settable: parameters,
    })
    expect((await client.experiment.get()).aliases).toEqual(added)
    const plan = await client.experiment.plan({ dataset_ids: ['smoke'], models: ['hybrid-rag', 'hybrid-k10'] })
    expect(plan).toMatchObject({ ok: true })

    const shorter = { ...flavor, parameters: { ...parameters, top_n: 3 } }
    expect((await client.flavors.save({ name: 'hybrid-k10', flavor: shorter })).at(-1)).toMatchObject({
      settable: { top_n: 3 },
    })
    expect(await failureOf(client.flavors.save({ name: 'bm25', flavor }))).toMatchObject({
      code: 'input_invalid',
      details: { problems: [{ path: 'name', message: expect.stringContaining('belongs to the project') as string }] },
    })
    const wrong = { ...flavor, parameters: { ...parameters, alpha: 2 } }
    expect(await failureOf(client.flavors.save({ name: 'x', flavor: wrong }))).toMatchObject({
      code: 'input_invalid',
      details: { problems: [{ path: 'flavor.parameters.alpha' }] },
    })
    expect(await failureOf(client.flavors.remove({ name: 'bm25' }))).toMatchObject({ code: 'input_invalid' })
    expect(await client.flavors.remove({ name: 'hybrid-k10' })).toEqual(before)
  })
})
