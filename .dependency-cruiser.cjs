// Who may import whom. `npm run check` also asserts how many modules were read, so that a cruise over nothing cannot pass.
const area = (name) => `^${name}/`
const isTest = '\\.test\\.ts$'

// Folders of main, from below. A file imports its own folder and those of the lines before it; folders of one line do not know each other.
const LAYERS = [
  ['lib'],
  ['supervisor'],
  ['evidence'],
  ['manifests'],
  ['statistics'],
  ['evaluation', 'judge'],
  ['report'],
  ['run-index'],
  ['runner'],
  ['estimates'],
  ['engine'],
  ['cli'],
  ['shell'],
]

const layerRules = LAYERS.flatMap((layer, place) =>
  layer.map((folder) => ({
    name: `main-${folder}-imports-only-what-is-below`,
    severity: 'error',
    from: { path: area(`main/${folder}`), pathNot: isTest },
    to: {
      path: LAYERS.slice(place)
        .flat()
        .filter((other) => other !== folder)
        .map((other) => area(`main/${other}`)),
    },
  })),
).filter(({ to }) => to.path.length > 0)

module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    { name: 'not-resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'contract-imports-zod-only',
      severity: 'error',
      from: { path: area('contract'), pathNot: isTest },
      to: { pathNot: [area('contract'), '^node_modules/zod/', '^node_modules/@orpc/contract/'] },
    },
    {
      // Runner and platform read manifests alike, engine and converter zip archives; pages load neither file.
      name: 'core-imports-the-contract-only',
      severity: 'error',
      from: { path: area('core'), pathNot: [isTest, '^core/(http|model-records|own-approaches)/'] },
      to: { pathNot: [area('core'), area('contract'), '^node_modules/(zod|fflate|js-yaml)/'] },
    },
    {
      // They need Node, its connections and files: pages, charts and what they share do not load them.
      name: 'only-processes-of-node-use-connections-and-files',
      severity: 'error',
      from: {
        path: '^(contract|core|charts|renderer|preload)/',
        pathNot: [isTest, '^core/(http|model-records|own-approaches)/'],
      },
      to: { path: '^core/(http|model-records|own-approaches)/' },
    },
    {
      // A page's call of a service is passed on as a stream in both directions, which is no call with an answer.
      name: 'the-http-client-is-the-only-one',
      severity: 'error',
      from: {
        path: '^(core|main|providers)/',
        pathNot: [isTest, '^core/http/', '^main/engine/http/service-route\\.ts$'],
      },
      to: { path: '^node_modules/undici/' },
    },
    {
      name: 'the-http-client-imports-core-and-contract',
      severity: 'error',
      from: { path: '^core/http/', pathNot: isTest },
      to: {
        pathNot: [
          area('core'),
          area('contract'),
          '^node_modules/undici/',
          '^node:',
          '^(process|stream|zlib|timers|crypto|fs|path)',
        ],
      },
    },
    {
      name: 'model-records-import-core-and-contract',
      severity: 'error',
      from: { path: '^core/model-records/', pathNot: isTest },
      to: { path: '^core/http/|^node_modules/(?!zod/)' },
    },
    {
      name: 'own-approaches-import-core-and-contract',
      severity: 'error',
      from: { path: '^core/own-approaches/', pathNot: isTest },
      to: {
        pathNot: [
          area('core'),
          area('contract'),
          '^node_modules/zod/',
          '^node:',
          '^(fs|os|path|child_process|crypto|string_decoder|timers)',
        ],
      },
    },
    {
      name: 'charts-know-only-the-contract',
      severity: 'error',
      from: { path: area('charts'), pathNot: isTest },
      to: { pathNot: [area('charts'), area('contract'), area('core'), '^node_modules/(react|recharts|@types/react)/'] },
    },
    {
      // Pages and the report draw the same charts. Recharts takes a third of a second to load, so nothing else may.
      name: 'only-pages-and-the-report-draw-charts',
      severity: 'error',
      from: { pathNot: [area('charts'), area('renderer'), '^main/report/html/', '^tests/'] },
      to: { path: area('charts') },
    },
    {
      name: 'providers-know-only-the-contract',
      severity: 'error',
      from: { path: area('providers'), pathNot: isTest },
      to: { path: ['^main/', '^preload/', '^renderer/', '^tests/', '^build/'] },
    },
    {
      name: 'no-provider-imports-another',
      severity: 'error',
      from: { path: '^providers/([^/]+)/', pathNot: isTest },
      to: { path: '^providers/([^/]+)/', pathNot: ['^providers/$1/', '^providers/kit/'] },
    },
    {
      name: 'kit-imports-no-provider',
      severity: 'error',
      from: { path: '^providers/kit/' },
      to: { path: '^providers/(?!kit/)' },
    },
    {
      name: 'main-knows-only-the-contract',
      severity: 'error',
      from: { path: area('main'), pathNot: isTest },
      to: { path: ['^providers/', '^preload/', '^renderer/', '^tests/', '^build/'] },
    },
    {
      name: 'only-the-shell-imports-electron',
      severity: 'error',
      // The helper is a main process of its own, for specs of the shell's launcher.
      from: { pathNot: ['^main/shell/', '^main/index\\.ts$', '^preload/', '^tests/helpers/utility-host\\.ts$'] },
      to: { path: '^node_modules/electron/' },
    },
    {
      name: 'only-the-command-mcp-imports-its-sdk',
      severity: 'error',
      from: { pathNot: [isTest, '^main/cli/(mcp/|commands/mcp\\.ts$)'] },
      to: { path: '^node_modules/@modelcontextprotocol/' },
    },
    {
      // undici reads what Electron's own Node lacks: a shell that loads it ends before its window.
      name: 'the-shell-never-reaches-the-http-client',
      severity: 'error',
      from: { path: '^main/(shell/|index\\.ts$)', pathNot: isTest },
      to: { path: '^node_modules/undici/', reachable: true },
    },
    {
      name: 'components-import-no-feature',
      severity: 'error',
      from: { path: '^renderer/components/' },
      to: { path: '^renderer/features/' },
    },
    {
      // Its routes speak the interfaces of other programs; only the files that put the platform together know them.
      name: 'compatibility-is-imported-by-composition-only',
      severity: 'error',
      from: {
        path: '^providers/platform/[^/]+/',
        pathNot: [isTest, '^providers/platform/(specified/compatibility|composition)/'],
      },
      to: { path: '^providers/platform/specified/compatibility/' },
    },
    {
      // It puts the parts of the platform together; a part that needs one of its files would know all others.
      name: 'nothing-of-the-platform-imports-its-composition',
      severity: 'error',
      from: { path: '^providers/platform/[^/]+/', pathNot: [isTest, '^providers/platform/composition/'] },
      to: { path: '^providers/platform/composition/' },
    },
    {
      name: 'nothing-imports-a-host',
      severity: 'error',
      from: { pathNot: '^tests/' },
      to: { path: ['^main/index\\.ts$', '^main/cli\\.ts$', '^providers/[^/]+/(index|main)\\.ts$'] },
    },
    {
      name: 'no-test-in-production',
      severity: 'error',
      // The test command names what its fast tier leaves out, as the tests declare it.
      from: { pathNot: [isTest, '^tests/', '^build/test\\.ts$'] },
      to: { path: [isTest, '^tests/'] },
    },
    {
      name: 'no-dev-dependency-in-production',
      severity: 'error',
      from: { path: '^(contract|core|charts|main|providers|preload)/', pathNot: isTest },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'], pathNot: '^node_modules/electron/' },
    },
    ...layerRules,
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
}
