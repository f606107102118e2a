import { describe, expect, it } from 'vitest'
import { importWorkflow } from './import-workflow.ts'
import { node, respond, set, textCondition, webhook, workflow } from '../../../tests/helpers/sample-workflow.ts'
import { WorkflowImportError } from './workflow-error.ts'

const problemsOf = (file: unknown): readonly string[] => {
  try {
    importWorkflow(file)
  } catch (error) {
    if (error instanceof WorkflowImportError) return error.problems
    throw error
  }
  return []
}

describe('import', () => {
  it('takes a workflow and returns its name', () => {
    const note = node('Note', 'stickyNote', 1, { content: '# why' })
    const imported = importWorkflow(
      workflow([webhook('answer'), respond('={{ $json.body }}'), note], { Webhook: [['Respond']] }),
    )
    expect(imported).toMatchObject({
      id: 'sample',
      active: true,
      trigger: { node: 'Webhook', method: 'POST', path: 'answer' },
    })
    expect([...imported.steps.keys()]).toEqual(['Webhook', 'Respond'])
  })

  it('takes the list of one workflow that the command line of n8n exports', () => {
    const file = workflow([webhook('answer'), respond('={{ $json.body }}')], { Webhook: [['Respond']] })
    expect(importWorkflow([file])).toMatchObject({ id: 'sample', trigger: { path: 'answer' } })
    expect(problemsOf([file, { ...file, name: 'Other' }])).toEqual([
      'the file holds 2 workflows (Sample, Other): export one by its id',
    ])
  })

  it.each([
    ['httpRequest', 4.5, { url: 'http://x' }],
    [
      'switch',
      3.4,
      { rules: { values: [{ conditions: textCondition('={{ $json.a }}', 'equals', 'b', { version: 3 }) }] } },
    ],
    ['set', 3.5, { assignments: { assignments: [] }, options: {} }],
    ['if', 2.3, { conditions: textCondition('={{ $json.a }}', 'equals', 'b', { version: 3 }) }],
    ['respondToWebhook', 1.5, { respondWith: 'json', responseBody: '={{ $json }}' }],
  ])('takes %s in the version %s that n8n 2.40 makes', (type, version, parameters) => {
    const file = workflow([webhook(), node('New', type, version, parameters)], { Webhook: [['New']] })
    expect(importWorkflow(file).steps.has('New')).toBe(true)
  })

  it('names every node type, version, parameter, setting and expression that it does not have', () => {
    const nodes = [
      webhook(),
      node('Script', 'code', 2, { jsCode: 'return 1' }),
      node('Old', 'set', 1, {}),
      node('Signed', 'httpRequest', 4.2, { url: 'http://x', authentication: 'predefinedCredentialType' }),
      node('Again', 'httpRequest', 4.2, { url: 'http://x' }, { retryOnFail: true }),
      node('Lenient', 'httpRequest', 4.2, { url: 'http://x' }, { onError: 'continueRegularOutput' }),
      set('Clever', { a: '={{ $json.x.map(y => y) }}' }),
      respond('={{ $json }}'),
    ]
    expect(problemsOf(workflow(nodes, {}))).toEqual([
      "node 'Script': the node type 'n8n-nodes-base.code' is not supported",
      "node 'Old': version 1 of 'n8n-nodes-base.set' is not supported, 3.3 to 3.5 are",
      expect.stringMatching(/^node 'Signed': authentication: /),
      "node 'Again': the setting 'retryOnFail' is not supported",
      "node 'Lenient': the setting 'onError' is not supported",
      expect.stringMatching(/^node 'Clever': .*expression/),
    ])
  })

  it.each([
    ['no webhook', workflow([respond('={{ 1 }}')], {}), 'expected one webhook, got 0'],
    ['two webhooks', workflow([webhook(), { ...webhook(), name: 'Other' }], {}), 'expected one webhook, got 2'],
    [
      'a webhook without its id',
      workflow([{ ...webhook(), webhookId: undefined }], {}),
      "node 'Webhook': without a webhookId n8n registers it under another path",
    ],
    [
      'a wire to nowhere',
      workflow([webhook()], { Webhook: [['Gone']] }),
      "a connection names the node 'Gone', which does not exist",
    ],
    ['two nodes of one name', workflow([webhook(), set('A', {}), set('A', {})], {}), 'two nodes have the same name'],
  ])('refuses %s', (_what, file, problem) => {
    expect(problemsOf(file)).toContain(problem)
  })

  it.each([null, 1, [], {}, { nodes: 'x' }, { ...workflow([webhook()], {}), nodes: [] }])('refuses %j', (file) => {
    expect(problemsOf(file).length).toBeGreaterThan(0)
  })
})
