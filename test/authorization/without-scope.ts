import {
  type BinaryOperationNode,
  type KyselyPlugin,
  type OperationNode,
  OperationNodeTransformer,
  RawNode,
  ReferenceNode,
  ValueNode,
} from 'kysely';
import type { Db } from '#server/platform/db.ts';

/**
 * The program with its first belt taken off: `account_id = <the asking account>` becomes `account_id = account_id` in every query, as
 * if each had been forgotten. What still holds then is the database's own doing.
 */
export function withoutScope(db: Db): { db: Db; removed: () => number } {
  let removed = 0;

  const isScope = (node: OperationNode): boolean => ReferenceNode.is(node) && columnOf(node) === 'account_id';

  class Remover extends OperationNodeTransformer {
    protected override transformBinaryOperation(node: BinaryOperationNode): BinaryOperationNode {
      if (isScope(node.leftOperand) && ValueNode.is(node.rightOperand)) {
        removed += 1;
        return super.transformBinaryOperation({ ...node, rightOperand: node.leftOperand });
      }
      return super.transformBinaryOperation(node);
    }

    protected override transformRaw(node: RawNode): RawNode {
      const parameters = node.parameters.map((parameter, index) => {
        const scope = /([\w.]*\baccount_id) = $/.exec(node.sqlFragments[index] ?? '');
        if (!scope || !ValueNode.is(parameter)) return parameter;
        removed += 1;
        return RawNode.createWithSql(scope[1] ?? '');
      });
      return super.transformRaw({ ...node, parameters });
    }
  }

  const remover = new Remover();
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => remover.transformNode(node),
    transformResult: async ({ result }) => result,
  };
  return { db: db.withPlugin(plugin), removed: () => removed };
}

function columnOf(node: ReferenceNode): string | null {
  return node.column.kind === 'ColumnNode' ? node.column.column.name : null;
}
