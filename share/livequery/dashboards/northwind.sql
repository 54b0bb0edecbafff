-- dashboard: Northwind
-- Sales, stock and customers of the Northwind sample database.
-- layout: revenue orders aov stock
-- layout: top top months months
-- layout: top top months months
-- layout: cats hist log log

-- name: revenue
-- title: Revenue
-- view: number
-- format: revenue compact
SELECT sum(UnitPrice * Quantity * (1 - Discount)) AS revenue FROM "Order Details";

-- name: orders
-- title: Open orders
-- view: number
-- alert: open > 25 until open < 20
SELECT count(*) AS open FROM Orders WHERE ShippedDate IS NULL;

-- name: aov
-- title: Average order value
-- view: number
-- format: aov thousands
SELECT avg(Subtotal) AS aov FROM "Order Subtotals";

-- name: stock
-- title: Low stock
-- view: gauge min=0 max=100% warn=10% crit=20%
-- format: low percent
SELECT avg(UnitsInStock + UnitsOnOrder <= ReorderLevel AND Discontinued = 0) AS low FROM Products;

-- name: top
-- title: Top customers
-- key: CustomerID
-- rank: revenue
-- spark: revenue
-- format: revenue thousands, share share-bar, CustomerID hidden
SELECT c.CustomerID, c.CompanyName AS customer, c.Country AS country, count(DISTINCT o.OrderID) AS orders,
  sum(d.UnitPrice * d.Quantity * (1 - d.Discount)) AS revenue,
  sum(d.UnitPrice * d.Quantity * (1 - d.Discount)) AS share
FROM Customers c JOIN Orders o USING (CustomerID) JOIN "Order Details" d USING (OrderID)
GROUP BY c.CustomerID ORDER BY revenue DESC LIMIT 20;

-- name: months
-- title: Monthly revenue
-- view: line min=0
SELECT substr(o.OrderDate, 1, 7) AS month, sum(d.UnitPrice * d.Quantity * (1 - d.Discount)) AS revenue
FROM Orders o JOIN "Order Details" d USING (OrderID) GROUP BY month ORDER BY month;

-- name: cats
-- title: Revenue by category
-- view: bar
-- format: revenue compact
SELECT CategoryName AS category, sum(d.UnitPrice * d.Quantity * (1 - d.Discount)) AS revenue
FROM "Order Details" d JOIN Products p USING (ProductID) JOIN Categories c USING (CategoryID)
GROUP BY category ORDER BY revenue DESC;

-- name: hist
-- title: Order sizes
-- view: histogram bins=12
SELECT Subtotal FROM "Order Subtotals";

-- name: log
-- title: Orders
-- view: log newest=top
-- key: OrderID
SELECT o.OrderDate, o.OrderID, c.CompanyName, o.ShipCountry, o.Freight
FROM Orders o JOIN Customers c USING (CustomerID) ORDER BY o.OrderID;
