import { totalmem } from 'node:os'
import process from 'node:process'
import { Identifier } from '../../../contract/common.ts'
import { fieldPath, issueWords } from '../../../core/issues.ts'
import { isCloudModel, isRuleBased, MAX_MODEL_CALLS, modelNameOf } from '../../../contract/manifests/model-backends.ts'
import {
  connectionKind,
  ConnectionKind,
  isNearAddress,
  type Connection,
} from '../../../contract/manifests/model-connections.ts'
import { ModelRole, OWN_MODELS_FILE, setForAllRoles } from '../../../contract/manifests/models.ts'
import { MAX_PRICE, ModelPrice } from '../../../contract/manifests/prices.ts'
import type { ModelTest } from '../../../contract/control/models.ts'
import { bytesWords } from '../../../contract/words.ts'
import {
  addConnection,
  connectionNamed,
  connectionViews,
  makeSetDefault,
  removeOwnModels,
} from '../../manifests/models/connect-models.ts'
import { forgetModel, keptRecords } from '../../../core/model-records/known-models.ts'
import { withoutCredit } from '../../../core/used-up-credit.ts'
import { isBuiltinName } from '../../judge/builtin/builtin-judges.ts'
import { EVALUATION_FILE, loadModels } from '../../manifests/experiment.ts'
import { modelRecordsFolder } from '../../manifests/models/model-records.ts'
import { loadPrices, removePrice, savePrice } from '../../manifests/models/own-prices.ts'
import { InputError } from '../../manifests/runner-inputs.ts'
import { catalogueEntries, removeFetchedModel } from '../../manifests/models/model-catalogue.ts'
import { fetchModel, ModelFetchError } from '../../runner/prepare/fetch-model.ts'
import { panelOfProject } from '../../runner/prepare/judges-to-test.ts'
import { testConnection, testModelFile, testModelSet } from '../../runner/prepare/test-models.ts'
import { createNodeLauncher } from '../../supervisor/node-launcher.ts'
import {
  decimalNumber,
  EXIT,
  flag,
  flagOption,
  numberOption,
  textOption,
  textValue,
  wholeNumber,
  type ExitCode,
  type Invocation,
} from '../command.ts'
import { projectFolder, RUN_OPTIONS } from '../options.ts'
import { commandOfVerbs, type VerbCall, type Verbs } from '../verbs.ts'
import { KEY_USAGE, manageKeys } from './models-key.ts'
import { recordLine, testLines } from './model-test-lines.ts'

// One command for model services and sets: `rag-ladder models add ollama --kind ollama --model qwen3:8b` writes a connection and a set with
// one model for all roles to the state folder, and `rag-ladder models test ollama` shows whether it works.

interface Context {
  root: string
  loaded: Awaited<ReturnType<typeof loadModels>>
}
type Call = VerbCall<Context>

const AMOUNT = { ...decimalNumber({ from: 0, to: MAX_PRICE }, 2.5), hint: 'AMOUNT' }

const VERBS: Verbs<Context> = {
  list: {
    usage: 'list [--catalogue]',
    about: 'connections and model sets, or the open models that fit this machine',
    takes: [0, 0],
    run: list,
  },
  test: {
    usage: 'test [SET, CONNECTION or FILE.gguf]',
    about:
      'tests each model of a set in each role that it has there, and says what will be done instead; of a connection its first model, or --model',
    takes: [0, 1],
    run: test,
  },
  forget: {
    usage: 'forget [MODEL]',
    about:
      'forgets what calls have taught of a model at a service, such as the fields that it refuses; without MODEL of all',
    takes: [0, 1],
    run: forget,
  },
  add: {
    usage:
      'add NAME --kind KIND [--url ADDRESS] [--key-env VARIABLE] [--cloud] [--concurrency N] [--model MODEL] [--embedding-model MODEL]',
    about: 'adds a connection; with --model also a set of that name with this model for every role',
    takes: [1, 1],
    run: add,
  },
  key: {
    usage: KEY_USAGE,
    about: 'stores the key of a connection on this computer; it is typed at a prompt or piped in, never an argument',
    takes: [1, 2],
    run: manageKeys,
  },
  fetch: {
    usage: 'fetch ID',
    about: 'downloads a model of the catalogue; an interrupted download continues',
    takes: [1, 1],
    run: fetch,
  },
  price: {
    usage: 'price [MODEL --input AMOUNT [--output AMOUNT] [--currency USD] | MODEL --none]',
    about: 'what a model costs per million tokens, for costs and budgets; without MODEL all prices',
    takes: [0, 1],
    run: price,
  },
  remove: {
    usage: 'remove NAME',
    about: 'removes a connection and the set of that name, or the files of a fetched model',
    takes: [1, 1],
    run: remove,
  },
  use: { usage: 'use SET', about: 'makes a set the one that runs use without --model-set', takes: [1, 1], run: use },
}

export const modelsCommand = commandOfVerbs({
  name: 'models',
  verbs: VERBS,
  positionals: '<verb> [name]',
  options: {
    project: RUN_OPTIONS.project,
    kind: textValue('KIND', `kind of service: ${ConnectionKind.options.join(', ')}`),
    url: textValue('ADDRESS', 'its address with the version path; the usual one of its kind unless given'),
    'key-env': textValue('VARIABLE', 'environment variable that holds its key'),
    concurrency: { ...wholeNumber(1, MAX_MODEL_CALLS, 4), description: 'most calls that it gets at the same time' },
    cloud: flag('whether its calls leave this machine and are paid for; as usual for kind and address unless given'),
    model: textValue('MODEL', 'model for every role that writes text, or to test'),
    'embedding-model': textValue('MODEL', 'model for embeddings, or to test'),
    timeout: {
      ...decimalNumber({ above: 0, to: 3600 }, 30),
      hint: 'SECONDS',
      description: 'longest time for each request of test',
      default: 60,
    },
    catalogue: flag('list open models by job, with whether they fit this machine'),
    input: { ...AMOUNT, description: 'price of a million tokens that the model reads' },
    output: { ...AMOUNT, description: 'price of a million tokens that it writes', default: 0 },
    currency: textValue('CODE', 'currency of all prices, such as EUR'),
    none: flag('take the price of a model away'),
    json: flag('print the results of test as JSON'),
  },
  async load(invocation) {
    const root = projectFolder(invocation)
    return { root, loaded: await loadModels(root) }
  },
})

async function listCatalogue({ root, print }: Call): Promise<ExitCode> {
  print(`This machine has ${bytesWords(totalmem())} of memory.`)
  for (const {
    id,
    job,
    license,
    languages,
    context,
    memory_mib: memory,
    files,
    experimental,
    fits,
    fetched,
  } of await catalogueEntries(root)) {
    const size = files.reduce((sum, file) => sum + file.size_bytes, 0)
    const details = [
      job,
      ...(size === 0 ? [] : [`${bytesWords(size)} to fetch`]),
      ...(memory === null
        ? []
        : [`${bytesWords(memory * 1024 * 1024)} memory: ${fits === true ? 'fits' : 'does not fit'}`]),
      ...(context === null ? [] : [`${context} tokens`]),
      languages.join(' '),
      license,
      ...(experimental ? ['experimental: never run here on its real weights'] : []),
      ...(fetched ? ['fetched'] : []),
    ]
    print(`  ${id}  ${details.join(' · ')}`)
  }
  print('Fetch one with files: rag-ladder models fetch ID')
  return EXIT.ok
}

async function fetch({ root, args: [id = ''], invocation, print }: Call): Promise<ExitCode> {
  const stop = new AbortController()
  const interrupt = (): void => stop.abort()
  process.once('SIGINT', interrupt)
  let shown = -1
  const onProgress = (received: number, total: number): void => {
    const percent = Math.floor((received / total) * 20) * 5
    if (percent > shown) invocation.stderr.write(`${percent} % · ${bytesWords(received)} of ${bytesWords(total)}\n`)
    shown = Math.max(shown, percent)
  }
  try {
    const paths = await fetchModel(createNodeLauncher(), { root, id, signal: stop.signal, onProgress })
    for (const path of paths)
      print(`Fetched ${path}.${path.endsWith('.gguf') ? ` Test it: rag-ladder models test ${path}` : ''}`)
    return EXIT.ok
  } catch (error) {
    if (!(error instanceof ModelFetchError)) throw error
    print(error.message)
    return stop.signal.aborted ? EXIT.interrupted : EXIT.serviceFailed
  } finally {
    process.off('SIGINT', interrupt)
  }
}

async function list(call: Call): Promise<ExitCode> {
  const { loaded, invocation, print } = call
  if (flagOption(invocation, 'catalogue')) return listCatalogue(call)
  const { models, ownModelSets } = loaded
  print('Connections:')
  for (const { name, kind, address, key, key_env: variable, key_set: isThere, cloud } of await connectionViews(
    loaded,
    invocation.env,
  )) {
    const details = [
      connectionKind(kind).label,
      address,
      ...(key === 'environment' ? [`key in ${variable}`] : []),
      ...(key === 'stored' ? [isThere ? 'key stored' : '▲ key not stored'] : []),
      ...(cloud ? ['cloud'] : []),
    ]
    print(`  ${name}  ${details.join(' · ')}`)
  }
  print('Sets:')
  for (const [name, { description, roles }] of Object.entries(models.sets)) {
    const marks = [
      ...(name === models.default_set ? ['default'] : []),
      ...(ownModelSets.includes(name) ? ['your own'] : []),
      ...(Object.values(roles).some(isCloudModel) ? ['cloud'] : []),
    ]
    const names = [...new Set([roles.light_gen, roles.embed].map(modelNameOf))].join(', ')
    print(
      `  ${name}${marks.length === 0 ? '' : ` (${marks.join(', ')})`}  ${names}${description === '' ? '' : ` · ${description}`}`,
    )
  }
  const known = keptRecords(modelRecordsFolder(call.root))
  if (known.length > 0) print('Known of models at services:')
  for (const record of known) print(`  ${recordLine(record)}`)
  return EXIT.ok
}

/** Returns what counts as calls that leave this machine, where it is not as usual for the kind. */
function cloudOf(invocation: Invocation, kind: ConnectionKind, url: string | null): { cloud?: boolean } {
  const { isCloud } = connectionKind(kind)
  const chosen = invocation.values['cloud']
  const cloud = typeof chosen === 'boolean' ? chosen : isCloud || (url !== null && !isNearAddress(url))
  return cloud === isCloud ? {} : { cloud }
}

async function test({ root, loaded, args: [wanted], invocation, print }: Call): Promise<ExitCode> {
  const timeoutMs = numberOption(invocation, 'timeout')! * 1000
  const run = { launcher: createNodeLauncher(), root, env: invocation.env, timeoutMs }
  const [model, embeddingModel] = [textOption(invocation, 'model'), textOption(invocation, 'embedding-model')]
  const results: Record<string, ModelTest> = {}
  if (wanted !== undefined && /\.gguf$/i.test(wanted))
    results[wanted] = await testModelFile({ ...run, root: process.cwd() }, wanted)
  else if (wanted !== undefined && Object.hasOwn(loaded.models.sets, wanted) && (model ?? embeddingModel) === null)
    results[wanted] = await testModelSet(run, loaded, wanted, await panelOfProject(root, invocation.env))
  else {
    const { connections, models } = loaded
    if (wanted !== undefined && !Object.hasOwn(connections, wanted) && !Object.hasOwn(models.sets, wanted))
      throw new InputError([
        `no set or connection is named ${wanted}; the sets are ${Object.keys(models.sets).join(', ')}, the connections ${Object.keys(connections).join(', ')}`,
      ])
    const tested = wanted === undefined ? connections : { [wanted]: connectionNamed(loaded, wanted) }
    for (const [name, connection] of Object.entries(tested))
      results[name] = await testConnection(run, connection, { name, model, embeddingModel })
  }
  for (const [name, result] of Object.entries(results)) results[name] = withoutCredit(result)
  if (flagOption(invocation, 'json')) invocation.stdout.write(`${JSON.stringify(results)}\n`)
  else for (const [name, result] of Object.entries(results)) for (const line of testLines(name, result)) print(line)
  return Object.values(results).every(({ works }) => works) ? EXIT.ok : EXIT.serviceFailed
}

async function forget({ root, args: [model], print }: Call): Promise<ExitCode> {
  const folder = modelRecordsFolder(root)
  const known = keptRecords(folder).filter((record) => model === undefined || record.model === model)
  if (known.length === 0 && model !== undefined)
    throw new InputError([
      `nothing is known of a model ${model}; there are ${
        keptRecords(folder)
          .map((record) => record.model)
          .join(', ') || 'none'
      }`,
    ])
  for (const record of known) {
    forgetModel(folder, record)
    print(
      `Forgot ${record.model} at ${record.address}. The next call learns again; runs under way learn only its limits again.`,
    )
  }
  return EXIT.ok
}

async function add({ root, loaded, args: [name = ''], invocation, print }: Call): Promise<ExitCode> {
  if (!Identifier.safeParse(name).success)
    throw new InputError([`invalid name ${name}: expected letters, digits, "_", "-" and "." only`])
  const kind = ConnectionKind.safeParse(textOption(invocation, 'kind') ?? name)
  if (!kind.success)
    throw new InputError([`name the kind of service with --kind: ${ConnectionKind.options.join(', ')}`])
  const url = textOption(invocation, 'url')
  if (url === null && connectionKind(kind.data).usualAddress === null)
    throw new InputError([
      `name the address of the service with --url: kind ${kind.data} has no usual one; example: --url http://127.0.0.1:8080/v1`,
    ])
  const keyName = textOption(invocation, 'key-env')
  const model = textOption(invocation, 'model')?.trim() ?? null
  const embeddingModel = textOption(invocation, 'embedding-model')?.trim() ?? null
  const concurrency = numberOption(invocation, 'concurrency')
  if (model === null && embeddingModel !== null)
    throw new InputError(['--embedding-model needs --model: a set has a model for every role'])
  const connection: Connection = {
    kind: kind.data,
    ...(url === null ? {} : { base_url: url }),
    ...(keyName === null ? {} : { api_key_env: keyName }),
    ...(concurrency === null ? {} : { concurrency }),
    ...cloudOf(invocation, kind.data, url),
  }
  const set =
    model === null
      ? null
      : setForAllRoles(
          `${model} of the connection ${name} for every role that writes text.`,
          { connection: name, model },
          embeddingModel === null ? null : { connection: name, model: embeddingModel },
        )
  await addConnection(root, name, connection, { set }, invocation.env)
  const inPlace = (isThere: boolean): string => (isThere ? ' in place of the one of that name' : '')
  print(
    `Added the connection ${name} to ${OWN_MODELS_FILE}${inPlace(Object.hasOwn(loaded.connections, name))}. Test it: rag-ladder models test ${name}`,
  )
  if (connection.cloud === true && !flagOption(invocation, 'cloud'))
    print(
      `Its calls count as cloud calls, because ${url} is not an address of a private network; if they cost nothing: --no-cloud`,
    )
  if (model !== null)
    print(
      `Added the set ${name}${inPlace(loaded.ownModelSets.includes(name))}. Use it: rag-ladder ladder --model-set ${name}, or rag-ladder models use ${name}`,
    )
  return EXIT.ok
}

async function price({ root, loaded, args: [model], invocation, print }: Call): Promise<ExitCode> {
  if (model === undefined) {
    const { currency, models } = await loadPrices(root)
    const priced = Object.entries(models)
    if (priced.length === 0) print('No model has a price: what paid models cost is unknown.')
    else print(`Per million tokens, read and written, in ${currency}:`)
    for (const [name, { input, output }] of priced) print(`  ${name}  ${input} · ${output}`)
    return EXIT.ok
  }
  if (flagOption(invocation, 'none')) {
    await removePrice(root, model)
    print(`${model} has no price any more.`)
    return EXIT.ok
  }
  if (model.trim() === '') throw new InputError(['name the model by the name that its service knows'])
  const amounts = ModelPrice.safeParse({
    input: numberOption(invocation, 'input') ?? undefined,
    output: numberOption(invocation, 'output') ?? undefined,
  })
  if (!amounts.success)
    throw new InputError(amounts.error.issues.map((issue) => `--${fieldPath(issue.path)}: ${issueWords(issue)}`))
  const names = await pricedNames(root, loaded, invocation)
  if (!names.includes(model))
    throw new InputError([
      `no model set has the model ${model}, and no judge of ${EVALUATION_FILE} is named so; the known ones are ${names.join(', ')}`,
    ])
  await savePrice(root, model, amounts.data, textOption(invocation, 'currency'))
  const { currency } = await loadPrices(root)
  const { input, output } = amounts.data
  print(`${model} costs ${input} ${currency} per million tokens read and ${output} ${currency} per million written.`)
  return EXIT.ok
}

/** Names that a price can be of: language and other models of the sets, judges, and what has a price already. */
async function pricedNames(root: string, { models }: Call['loaded'], { env }: Invocation): Promise<string[]> {
  const choices = Object.values(models.sets).flatMap(({ roles }) => Object.values(roles))
  const ofSets = choices.filter(({ backend }) => !isRuleBased(backend)).map(modelNameOf)
  const judges = (await panelOfProject(root, env)).models.filter((name) => !isBuiltinName(name))
  return [...new Set([...ofSets, ...judges, ...Object.keys((await loadPrices(root)).models)])]
}

async function remove({ root, loaded, args: [name = ''], invocation, print }: Call): Promise<ExitCode> {
  const isDeclared = Object.hasOwn(loaded.connections, name) || Object.hasOwn(loaded.models.sets, name)
  const fetched = isDeclared ? undefined : (await catalogueEntries(root)).find(({ id }) => id === name)
  if (fetched !== undefined) {
    for (const path of await removeFetchedModel(root, name))
      print(`Removed ${path}. To have it again: rag-ladder models fetch ${name}`)
    return EXIT.ok
  }
  const { wasDefault, hadKey } = await removeOwnModels(root, name, null, invocation.env)
  print(`Removed ${name} from ${OWN_MODELS_FILE}${hadKey ? ', and its stored key' : ''}.`)
  if (wasDefault) print(`Runs use the set ${(await loadModels(root)).models.default_set} again.`)
  return EXIT.ok
}

async function use({ root, loaded: { models }, args: [name = ''], print }: Call): Promise<ExitCode> {
  await makeSetDefault(root, name)
  print(`Runs use the set ${name} unless --model-set or RAG_MODEL_SET names another.`)
  const cloud = ModelRole.options.filter((role) => isCloudModel(models.sets[name]!.roles[role]))
  if (cloud.length > 0) print(`Calls of ${cloud.join(', ')} leave this machine.`)
  return EXIT.ok
}
