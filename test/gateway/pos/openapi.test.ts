import { createConfig, lintFromString } from '@redocly/openapi-core'
import t from 'tap'
import type { ContractExample } from '../../../gateway/pos/pages/openapi-examples.js'
import {
  basketExamples,
  errorExample,
  malformedExample,
  returnExamples,
  saleExamples,
} from '../../../gateway/pos/pages/openapi-examples.js'
import { eventually, startService, unhurried } from '../../e2e/service.js'
import { faultsByDocument, faultsOf, publishedDocument } from '../../support/openapi-validator.js'

t.test('the document passes the linter at its strictest', async (t) => {
  const config = await createConfig({
    extends: ['recommended-strict'],
    // Fields that are not listed belong to the POS.
    rules: { 'no-invalid-media-type-examples': { severity: 'error', allowAdditionalProperties: true } },
  })
  const lint = async (document: object) => {
    const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: 'openapi.json', config })
    return problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`)
  }
  t.same(await lint(publishedDocument), [])
  const { security: _, ...open } = publishedDocument
  t.ok(
    (await lint(open)).some((problem) => problem.startsWith('security-defined')),
    'the linter sees what is wrong',
  )
})

t.test('every example matches its schema, and broken ones do not', (t) => {
  const schema = (name: string) => ({ $ref: `#/components/schemas/${name}` })
  const rows: [string, string, Readonly<Record<string, ContractExample>>][] = [
    ['Basket', 'BasketAnswer', basketExamples],
    ['SaleEvent', 'SaleAnswer', saleExamples],
    ['ReturnEvent', 'ReturnAnswer', returnExamples],
  ]
  for (const [request, answer, examples] of rows) {
    for (const [name, example] of Object.entries(examples)) {
      t.same(faultsOf(schema(request), example.request), [], `${name}: request`)
      t.same(faultsOf(schema(answer), example.answer), [], `${name}: answer`)
      t.not(faultsOf(schema(request), { ...example.request, context: {} }).length, 0)
      t.not(faultsOf(schema(answer), { ...example.answer, calculationId: 7, returnId: 7 }).length, 0)
    }
  }
  t.same(faultsOf(schema('Error'), errorExample), [])
  t.same(faultsOf(schema('Error'), malformedExample), [])
  t.end()
})

t.test('a service with the sample programme returns the examples of the document', async (t) => {
  const service = await startService({ env: unhurried })
  t.teardown(() => service.stop())
  const { paths } = publishedDocument
  for (const path of ['/v1/pos/basket', '/v1/pos/sale', '/v1/pos/return'] as const) {
    const item = paths[path]!
    if (!('post' in item)) throw new Error(path)
    const examplesIn = (content: unknown) =>
      (content as { 'application/json': { examples: Record<string, { value: object }> } })['application/json'].examples
    const answers = examplesIn(item.post.responses[200]!.content)
    for (const [name, { value }] of Object.entries(examplesIn(item.post.requestBody['content']))) {
      const answer = await eventually(() => service.send(path, JSON.stringify(value)))
      t.same(answer.json, answers[name]!.value, `${path} ${name}`)
      t.same(faultsByDocument(path, answer), [], `${path} ${name}`)
    }
  }
  const applied = basketExamples['applied']!.request
  const calculationId = '1e4a5b6c-7d8e-4f90-a123-4d5e6f708192'
  const wrong = { ...applied, calculationId, totals: { ...(applied['totals'] as object), net: 9_201 } }
  const refused = await eventually(() => service.send('/v1/pos/basket', JSON.stringify(wrong)))
  t.equal(refused.status, 422)
  t.same(
    { error: { ...refused.json.error, requestId: '' } },
    { error: { ...(errorExample['error'] as object), requestId: '' } },
  )
  t.same(faultsByDocument('/v1/pos/basket', refused), [])
  const [line, { noDiscount: _, ...deposit }] = applied['lines'] as [object, { noDiscount: boolean }]
  const malformed = { ...applied, calculationId, lines: [{ ...line, unitPrice: 45.5 }, deposit] }
  const unread = await eventually(() => service.send('/v1/pos/basket', JSON.stringify(malformed)))
  t.equal(unread.status, 400)
  t.same(
    { error: { ...unread.json.error, requestId: '' } },
    { error: { ...(malformedExample['error'] as object), requestId: '' } },
  )
  t.same(faultsByDocument('/v1/pos/basket', unread), [])
})
