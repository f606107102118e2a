// Services of models misbehave, one entry each: what the service does to a request, or to the answer of a model that would do everything right. `cells` is
// what a run makes of it, and `says` what it prints where cells fail.
import { READ, refused, texted, type ModelFault } from './faulty-reply.ts'
import { FORM_FAULTS } from './form-faults.ts'
import { STREAM_FAULTS } from './stream-faults.ts'

const NOTHING = 'nothing: what the service refuses is left out, and kept for the next run'

/** The table of runs with these faults is between two marks. */
export const FAULT_TABLE = { file: 'docs/real-models.md', mark: '<!-- model-faults -->' }

export const MODEL_FAULTS: Readonly<Record<string, ModelFault>> = {
  none: { about: 'answers everything', cells: 'all', action: 'nothing' },
  temperature: {
    about: 'refuses temperature 0, and max_tokens by that name',
    reply: (asked) =>
      asked.temperature !== undefined
        ? refused("Unsupported value: 'temperature' does not support 0 with this model.", { param: 'temperature' })
        : asked['max_tokens'] !== undefined
          ? refused("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", {
              param: 'max_tokens',
            })
          : {},
    cells: 'all',
    action: NOTHING,
  },
  extra: {
    about: 'refuses every field that it does not know (422)',
    reply: (asked) => {
      const unknown = Object.keys(asked).filter(
        (field) =>
          !['model', 'messages', 'temperature', 'max_tokens', 'stream', 'tools', 'tool_choice'].includes(field),
      )
      const detail = unknown.map((field) => ({ type: 'extra_forbidden', loc: ['body', field], msg: 'not permitted' }))
      return unknown.length === 0
        ? {}
        : { status: 422, body: { message: `Extra inputs are not permitted: '${unknown[0]}'`, detail, code: 3001 } }
    },
    cells: 'all',
    action: NOTHING,
  },
  schema: {
    about: 'refuses a schema of the reply',
    reply: ({ response_format: format }) =>
      format === undefined ? {} : refused("'response_format.type' must be 'text'"),
    cells: 'all',
    action: NOTHING,
  },
  'schema-500': {
    about: 'answers a schema with status 500',
    reply: ({ response_format: format }) =>
      format === undefined ? {} : refused("'response_format.type' must be 'json_schema' or 'text'", {}, 500),
    cells: 'all',
    action: NOTHING,
  },
  tools: {
    about: 'refuses tools',
    reply: ({ tools }) => (tools === undefined ? {} : refused('m does not support tools')),
    cells: 'all',
    action: NOTHING,
  },
  'tool-text': {
    about: 'writes calls of tools as text',
    reply: ({ tools }, written) =>
      tools === undefined || written.tool_calls === undefined
        ? {}
        : {
            message: {
              content: '<tool_call>\n{"name": "vector_search", "arguments": {"query": "lock"}}\n</tool_call>',
            },
          },
    cells: 'all',
    action: 'nothing: a call in the text is a call',
  },
  system: {
    about: 'refuses the system role',
    reply: ({ messages }) =>
      messages.some(({ role }) => role === 'system') ? refused('System role not supported') : {},
    cells: 'all',
    action: NOTHING,
  },
  think: {
    about: 'thinks in <think>, with JSON in it',
    reply: (_asked, written) => texted(written, (text) => `<think>\n{"route": "x"} perhaps.\n</think>\n\n${text}`),
    cells: 'all',
    action: READ,
  },
  'think-no-opening': {
    about: 'writes only the closing tag of its reasoning',
    reply: (_asked, written) => texted(written, (text) => `They ask for {"route": "x"}.\n</think>\n\n${text}`),
    cells: 'all',
    action: READ,
  },
  'think-unclosed': {
    about: 'never closes its reasoning',
    reply: (_asked, written) => texted(written, () => '<think>\nLet me see. The passages say'),
    cells: 'none',
    says: [/returned no text/],
    action: 'switch reasoning off (defaults: { reasoning_effort: none }), or give more room',
  },
  harmony: {
    about: 'writes channels of gpt-oss',
    reply: (_asked, written) =>
      texted(
        written,
        (text) => `<|channel|>analysis<|message|>We answer.<|end|><|start|>assistant<|channel|>final<|message|>${text}`,
      ),
    cells: 'all',
    action: READ,
  },
  'reasoning-only': {
    about: 'spends all tokens on reasoning in a field of its own',
    reply: () => ({ message: { content: '', reasoning_content: 'hmm' }, finish: 'length' }),
    cells: 'none',
    says: [/returned no text/],
    action: 'give more room (max_tokens), or switch reasoning off',
  },
  'json-cut': {
    about: 'cuts JSON at seven tenths, in a code fence',
    reply: (_asked, written) =>
      texted(written, (text) => (text.startsWith('{') ? `\`\`\`json\n${text.slice(0, text.length * 0.7)}` : text)),
    cells: 'some',
    says: [/cannot be used|not write JSON|holds no JSON|cut/i],
    action: 'choose another model for graph_extract and evaluator',
  },
  'single-quotes': {
    about: 'writes JSON with single quotation marks',
    reply: (_asked, written) => texted(written, (text) => (text.startsWith('{') ? text.replaceAll('"', "'") : text)),
    cells: 'some',
    says: [/cannot be used|not write JSON|holds no JSON/i],
    action: 'choose another model for graph_extract and evaluator',
  },
  length: {
    about: 'is cut by a limit after twenty characters',
    reply: (_asked, written) => ({ ...texted(written, (text) => text.slice(0, 20)), finish: 'length' }),
    cells: 'some',
    says: [/cut/i],
    action: 'give more room (max_tokens); --exclude-cut-answers leaves such answers out of ranking',
  },
  usage: {
    about: 'reports no tokens',
    reply: () => ({ usage: false }),
    cells: 'all',
    says: [/What this run used · Smoke\n.*\n(?:  answers of .*\n)+  ingestion +[1-9]\d* +≈ [1-9]/],
    action: 'nothing: tokens are estimated',
  },
  context: {
    about: 'has a context of 600 tokens',
    reply: (asked) => {
      const tokens = JSON.stringify(asked).length >> 2
      return tokens <= 600
        ? {}
        : refused(`request (${tokens} tokens) exceeds the available context size (600 tokens), try increasing it`, {
            type: 'exceed_context_size_error',
            n_prompt_tokens: tokens,
            n_ctx: 600,
          })
    },
    cells: 'none',
    says: [/the context of m holds 600/, /Start the service with a larger context/],
    action: 'start the service with a larger context, or hand over less (--context-budget)',
  },
  'other-model': {
    about: 'answers as another model',
    reply: () => ({ model: 'gpt-cheap' }),
    cells: 'all',
    says: [/^warning: the service at \S+ answers as gpt-cheap, where m was asked for/m],
    action: 'check which model the service runs',
  },
  '429': {
    about: 'refuses two of three requests for 50 ms',
    reply: (_asked, _written, call) =>
      call % 3 === 0
        ? {}
        : { ...refused('Rate limit reached for requests', {}, 429), headers: { 'retry-after-ms': '50' } },
    cells: 'all',
    action: 'nothing: the run waits as long as the service asks',
  },
  quota: {
    about: 'has no credit left (429)',
    reply: () => refused('You exceeded your current quota', { code: 'insufficient_quota' }, 429),
    cells: 'none',
    says: [/3 calls in a row were refused: .*exceeded your current quota/],
    action: 'pay, or choose another service; the same run goes on',
  },
  payment: {
    about: 'asks for payment (402)',
    reply: () => refused('Insufficient Balance', { code: 'invalid_request_error' }, 402),
    cells: 'none',
    says: [/3 calls in a row were refused: .*\(HTTP 402\): Insufficient Balance/],
    action: 'pay, or choose another service; the same run goes on',
  },
  unauthorized: {
    about: 'refuses the key (401)',
    reply: () => refused('Incorrect API key provided', { code: 'invalid_api_key' }, 401),
    cells: 'none',
    says: [/3 calls in a row were refused: .*Incorrect API key provided/],
    action: 'set the key of the connection; the same run goes on',
  },
  '500': {
    about: 'fails with 500',
    reply: () => refused('CUDA error: out of memory', { type: 'server_error' }, 500),
    cells: 'none',
    says: [/CUDA error: out of memory/],
    action: 'repair the service; the same run goes on',
  },
  html: {
    about: 'is a proxy that answers 502 with a page',
    reply: () => ({
      status: 502,
      headers: { 'content-type': 'text/html' },
      body: '<html><h1>502 Bad Gateway</h1></html>',
    }),
    cells: 'none',
    says: [/502/],
    action: 'start the service behind the proxy; the same run goes on',
  },
  page: {
    about: 'is a page at a wrong address (200)',
    reply: () => ({ headers: { 'content-type': 'text/html' }, body: '<html><title>Router</title></html>' }),
    cells: 'none',
    says: [/answered with a web page \(HTTP 200\): Router\. The address is that of another program/],
    action: 'correct the address of the connection; the same run goes on',
  },
  'no-model': {
    about: 'does not have the model (404)',
    reply: () => refused('The model `m` does not exist', { code: 'model_not_found' }, 404),
    cells: 'none',
    says: [/does not exist\. Correct the name of the model/],
    action: 'correct the name of the model',
  },
  'too-large': {
    about: 'takes no request of this size (413)',
    reply: () => refused('Request entity too large', {}, 413),
    cells: 'none',
    says: [/too large\. Let the service take larger requests, or hand over less text/],
    action: 'hand over less (--context-budget), or let the service take more',
  },
  forbidden: {
    about: 'does not permit the call (403)',
    reply: () => refused('Your account may not use this model', { code: 'forbidden' }, 403),
    cells: 'none',
    says: [/3 calls in a row were refused: .*may not use this model/],
    action: 'correct the rights of the key; the same run goes on',
  },
  'error-200': {
    about: 'reports an error with status 200',
    reply: () => ({ body: { error: { message: 'Upstream overloaded', code: 503 } } }),
    cells: 'none',
    says: [/Upstream overloaded/],
    action: 'wait for the service; the same run goes on',
  },
  'error-choice': {
    about: 'reports an error inside the choice',
    reply: () => ({
      body: {
        id: 'x',
        choices: [
          {
            index: 0,
            finish_reason: 'error',
            error: { code: 502, message: 'Provider died' },
            message: { role: 'assistant', content: '' },
          },
        ],
      },
    }),
    cells: 'none',
    says: [/Provider died/],
    action: 'choose another provider; the same run goes on',
  },
  filter: {
    about: 'filters every answer',
    reply: () => ({ message: { content: null }, finish: 'content_filter' }),
    cells: 'none',
    says: [/filter/i],
    action: 'relax the filter, or choose another model',
  },
  refusal: {
    about: 'refuses in the field for it',
    reply: () => ({ message: { content: null, refusal: 'I cannot help with that.' } }),
    cells: 'none',
    says: [/I cannot help with that/],
    action: 'choose another model',
  },
  parts: {
    about: 'writes its answer in parts, thinking first',
    reply: (_asked, written) =>
      written.content === null
        ? {}
        : {
            message: {
              content: [
                { type: 'thinking', thinking: [{ type: 'text', text: 'hmm' }] },
                { type: 'text', text: written.content },
              ] as unknown as string,
            },
          },
    cells: 'all',
    action: READ,
  },
  cut: {
    about: 'ends the connection in the middle of every answer',
    reply: () => ({ ends: 'cut' }),
    cells: 'none',
    says: [/connection|reached|interrupted|terminated|closed/i],
    action: 'repair the service; the same run goes on',
  },
  hang: {
    about: 'never answers',
    reply: () => ({ ends: 'never' }),
    cells: 'none',
    says: [/Raise the time limit per call of the connection/],
    action: 'start the model, or raise timeout_s of the connection',
  },
  ...FORM_FAULTS,
  ...STREAM_FAULTS,
}
