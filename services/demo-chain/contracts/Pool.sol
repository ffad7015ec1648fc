// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";

/// A constant-product pool of two tokens; shares of it are an ERC-20.
contract Pool is ERC20("Demo Pool", "POOL") {
    IERC20 public immutable token0;
    IERC20 public immutable token1;

    event Mint(address indexed sender, uint256 amount0, uint256 amount1);
    event Burn(address indexed sender, uint256 amount0, uint256 amount1, address indexed to);
    event Swap(
        address indexed sender,
        uint256 amount0In,
        uint256 amount1In,
        uint256 amount0Out,
        uint256 amount1Out,
        address indexed to
    );
    event Sync(uint112 reserve0, uint112 reserve1);

    error NothingIn(address sender);

    constructor(IERC20 first, IERC20 second) {
        token0 = first;
        token1 = second;
    }

    function add(uint256 amount0, uint256 amount1) external {
        uint256 shares = Math.sqrt(amount0 * amount1);
        token0.transferFrom(msg.sender, address(this), amount0);
        token1.transferFrom(msg.sender, address(this), amount1);
        _mint(msg.sender, shares);
        emit Mint(msg.sender, amount0, amount1);
        sync();
    }

    function remove(uint256 shares) external {
        uint256 amount0 = (shares * token0.balanceOf(address(this))) / totalSupply();
        uint256 amount1 = (shares * token1.balanceOf(address(this))) / totalSupply();
        _burn(msg.sender, shares);
        token0.transfer(msg.sender, amount0);
        token1.transfer(msg.sender, amount1);
        emit Burn(msg.sender, amount0, amount1, msg.sender);
        sync();
    }

    function swap(bool forward, uint256 amountIn) external {
        if (amountIn == 0) revert NothingIn(msg.sender);
        (IERC20 bought, IERC20 sold) = forward ? (token1, token0) : (token0, token1);
        uint256 before = sold.balanceOf(address(this));
        uint256 out = (bought.balanceOf(address(this)) * amountIn * 997) /
            (before * 1000 + amountIn * 997);
        sold.transferFrom(msg.sender, address(this), amountIn);
        bought.transfer(msg.sender, out);
        if (forward) emit Swap(msg.sender, amountIn, 0, 0, out, msg.sender);
        else emit Swap(msg.sender, 0, amountIn, out, 0, msg.sender);
        sync();
    }

    function sync() private {
        emit Sync(
            uint112(token0.balanceOf(address(this))),
            uint112(token1.balanceOf(address(this)))
        );
    }
}
