// The faults that the program says it survives, each with the test that switches the fault on. `npm run prove:faults` runs those tests and prints
// the table; docs/RELIABILITY.md states what each group promises.

export interface Fault {
  /** The thing that goes wrong, in words of a reader. */
  fault: string
  /** From the project's root. */
  file: string
  /** The end of the test's name, with those of its groups before it. */
  test: RegExp
}

const CALL = 'main/runner/cells/call-approach.test.ts'
const DISK = 'tests/crash/evidence-disk.test.ts'
const DAMAGE = 'tests/crash/evidence-damage.test.ts'
const SERVICE = 'tests/integration/supervised-service.test.ts'
const MANIFESTS = 'main/manifests/experiment.test.ts'
const CONVERTER = 'providers/converter/server.test.ts'
const BOUNDARY = 'providers/kit/service-boundary.test.ts'
const ACCESS = 'tests/integration/engine-access.test.ts'
const ROUTES = 'tests/integration/security.test.ts'

/** By group; the order is that of the printed table. */
export const FAULTS: Readonly<Record<string, readonly Fault[]>> = {
  'A gateway': [
    { fault: 'refuses the connection', file: CALL, test: /refuses the connection$/ },
    { fault: 'never answers', file: CALL, test: /hangs → timeout$/ },
    { fault: 'breaks off in the middle of a body', file: CALL, test: /typed failure reset mid-body$/ },
    { fault: 'answers 429 with Retry-After', file: CALL, test: /with the wait that Retry-After asked for$/ },
    { fault: 'answers 500', file: CALL, test: /typed failure 500$/ },
    { fault: 'answers HTML', file: CALL, test: /typed failure HTML$/ },
    { fault: 'answers JSON without choices', file: CALL, test: /typed failure no choices$/ },
    {
      fault: 'cuts a stream short',
      file: 'providers/platform/models/openai/openai-backend.test.ts',
      test: /the stream ends early/,
    },
    { fault: 'answers 50 MB', file: CALL, test: /answers 50 MB$/ },
    { fault: 'answers NUL and lone surrogates', file: CALL, test: /NUL, lone surrogates and terminal escapes/ },
    {
      fault: 'names another version of the extension',
      file: 'main/runner/cells/normalize-evidence.test.ts',
      test: /schema version/,
    },
  ],
  'An evaluator': [
    {
      fault: 'each fault of an evaluator',
      file: 'main/evaluation/evaluator-client.test.ts',
      test: /every evaluator fault ends in its typed state/,
    },
  ],
  'A disk': [
    { fault: 'is full in the middle of a row', file: DISK, test: /removes \d+ bytes when it is full/ },
    {
      fault: 'is full under a report',
      file: 'tests/integration/system-limits.test.ts',
      test: /under a report is an error that names its file/,
    },
    { fault: 'fails to sync', file: DISK, test: /a disk that fails to sync acknowledges nothing/ },
    { fault: 'may only be read', file: DISK, test: /refuses to be written to, with the remedy, and still verifies$/ },
    { fault: 'has lost the end of a log, at every byte', file: DAMAGE, test: /wherever its first row is cut$/ },
    {
      fault: 'flips a byte of a log, at every offset',
      file: DAMAGE,
      test: /a flipped bit is refused on opening, at every offset/,
    },
    {
      fault: 'flips a bit of an archive',
      file: 'main/lib/files/zip-files.test.ts',
      test: /refuses every single flipped bit/,
    },
    {
      fault: 'has no open files left',
      file: 'tests/integration/system-limits.test.ts',
      test: /too few open files at the opening of evidence/,
    },
  ],
  'A process': [
    {
      fault: 'a runner is killed, again and again',
      file: 'tests/crash/evidence-kill.test.ts',
      test: /lose no acknowledged row/,
    },
    {
      fault: 'the engine is killed during a run',
      file: 'tests/integration/engine-runs.test.ts',
      test: /offers the run for resume, loses nothing and makes no cell twice$/,
    },
    {
      fault: 'the host is killed with the engine that it started',
      file: 'tests/integration/serve.test.ts',
      test: /a host that is killed takes the engine and its platform with it/,
    },
    {
      fault: 'the platform is killed during a run',
      file: 'tests/integration/ladder-faults.test.ts',
      test: /is restarted on its port, and no cell is lost to it/,
    },
    {
      fault: 'the converter is killed in the middle of a document',
      file: 'tests/integration/conversion.test.ts',
      test: /killed in the middle of a conversion/,
    },
    {
      fault: 'PostgreSQL crashes under a run',
      file: 'main/evidence/evidence-store.test.ts',
      test: /keeps claims and rows through a crash of the server/,
    },
    {
      fault: 'PostgreSQL recovers while a run is opened',
      file: 'main/evidence/evidence-store.test.ts',
      test: /waits for a server that recovers/,
    },
    { fault: 'workers of a run are killed', file: 'tests/crash/worker-kill.test.ts', test: /make every cell once/ },
    { fault: 'an ingestion is killed', file: 'tests/crash/ingestion-kill.test.ts', test: /./ },
    { fault: 'a writer of the run index is killed', file: 'tests/crash/run-index-kill.test.ts', test: /./ },
    { fault: 'jobs of the platform are killed', file: 'tests/crash/task-worker-kill.test.ts', test: /SQLite/ },
    {
      fault: 'text to speech is killed',
      file: 'tests/integration/speech-services.test.ts',
      test: /killed in the middle of a synthesis/,
    },
    {
      fault: 'speech to text is killed',
      file: 'providers/stt/stt-service.test.ts',
      test: /fails one request when its process is killed/,
    },
    { fault: 'a conversion outgrows its memory', file: CONVERTER, test: /grows over its memory/ },
    { fault: 'a service never becomes ready', file: SERVICE, test: /never becomes ready$/ },
    {
      fault: 'a service answers at its start that it does not work',
      file: SERVICE,
      test: /fails the start at once with what a service says is wrong/,
    },
    { fault: 'a service floods its output', file: SERVICE, test: /keeps the last lines of a flood$/ },
    { fault: 'a service ignores SIGTERM', file: SERVICE, test: /ignores requests and SIGTERM$/ },
    { fault: 'a service leaves a process of its own behind', file: SERVICE, test: /leaves no grandchild running$/ },
    { fault: 'a service lives and does not answer', file: SERVICE, test: /alive and does not answer, and logs why$/ },
  ],
  'An input': [
    { fault: 'YAML that unfolds without end', file: MANIFESTS, test: /refuses an alias bomb by its path$/ },
    { fault: 'an unknown field', file: MANIFESTS, test: /refuses an unknown field by its path$/ },
    { fault: 'a question id twice', file: MANIFESTS, test: /refuses a duplicate question by its path$/ },
    { fault: 'no question', file: 'main/manifests/datasets/load-datasets.test.ts', test: /no questions/ },
    { fault: '10,000 questions', file: MANIFESTS, test: /reads 10,000 questions$/ },
    {
      fault: 'a document path that leaves its folder',
      file: 'providers/platform/ingestion/corpus.test.ts',
      test: /\.\.\/docs/,
    },
    {
      fault: 'a symbolic link in a corpus',
      file: 'providers/platform/ingestion/corpus.test.ts',
      test: /refuses links: a file, a folder/,
    },
    { fault: 'a zip bomb', file: CONVERTER, test: /refuses bombs before they unpack$/ },
    {
      fault: 'a zip archive that someone built to break its reader',
      file: 'main/lib/files/hostile-zip.test.ts',
      test: /hostile archives/,
    },
    { fault: 'an encrypted PDF', file: 'providers/converter/formats/formats.test.ts', test: /an encrypted PDF/ },
    { fault: 'a file without bytes', file: 'providers/stt/stt-service.test.ts', test: /an empty file/ },
    { fault: 'an upload over the limit', file: CONVERTER, test: /a file over the limit 413$/ },
    { fault: 'an upload that drips', file: BOUNDARY, test: /times out a body that drips, with 408/ },
    {
      fault: 'a form that is none',
      file: 'providers/kit/multipart-form.test.ts',
      test: /no boundary/,
    },
    {
      fault: 'a form with an oversized header in a part',
      file: 'providers/kit/multipart-form.test.ts',
      test: /a part whose header is larger/,
    },
    {
      fault: 'a content type that the route does not take',
      file: 'providers/kit/server.test.ts',
      test: /foreign media types and unknown paths$/,
    },
    { fault: 'a file of another format than its name', file: CONVERTER, test: /goes by the content: a wrong name/ },
  ],
  'A caller': [
    { fault: 'has no token, or a wrong one', file: ACCESS, test: /answers the launch token and no other$/ },
    {
      fault: 'has the token of another route',
      file: ROUTES,
      test: /POST \/storage\/upload refuses every caller without the scope$/,
    },
    {
      fault: 'comes under a foreign Host or Origin',
      file: ACCESS,
      test: /refuses every foreign Host, Origin and site/,
    },
    { fault: 'is a form of a foreign page', file: ACCESS, test: /refuses what a form of a foreign page can send$/ },
    { fault: 'writes a path in another way', file: ROUTES, test: /is not reached by another way of writing its path$/ },
    {
      fault: 'has a user token that is unsigned, expired or without a subject',
      file: 'providers/platform/identity/identity.test.ts',
      test: /every invalid user token get 401$/,
    },
  ],
  'An answer': [
    { fault: 'holds script and HTML', file: 'main/report/html/markup.test.ts', test: /escapes every text/ },
    {
      fault: 'holds links that run script',
      file: 'main/report/markdown/markdown-text.test.ts',
      test: /javascript:/,
    },
    { fault: 'argues with a judge', file: 'main/judge/injection.test.ts', test: /is shown as data, once/ },
    {
      fault: 'steers a terminal',
      file: 'main/lib/text/sanitize-for-terminal.test.ts',
      test: /leaves no control character but line ends/,
    },
  ],
}
